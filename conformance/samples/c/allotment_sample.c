/*
 * A slot allocator that speaks the protocol of the conformance kit, in C11.
 *
 * It is the algorithm of the seeds (SPEC.md, section 5) as they write it: a plan iterator and a
 * host iterator, each with init, next and fini; for every plan its buckets in order; for every
 * bucket a fresh search over all hosts, from the first on; whatever a failed plan took is
 * reversed. Nothing is indexed and no search is cut short, but for the one place that PAR-2 names.
 * Where the seeds contradict themselves, the errata of SPEC.md decide; the switches --fault bring
 * four of the seeds' own faults back.
 *
 * How the parts fit together:
 *
 *   case -> events -> ingest -> job -> alternatives -> parts -> plans -> buckets -> hosts
 *
 * Everything that can be debited is a row of the ledger: what is left of one amount on each host,
 * of a pool, or under a limit for one holder. A row has a stride, 1 if it goes by host and 0 if
 * one figure serves all hosts, so that the hot loop, a debit and a reversal need not know which
 * kind of account they meet. A row holds what is left (capacity minus in use) and not what is in
 * use: a want that is not zero fits exactly if it is at most that, also where it is negative
 * because a capacity was cut (WANT-4, LIMIT-3, SESSION-5).
 *
 * Names, selects, rusages and keys are interned: equal content has one small number, so nothing
 * that runs for each host touches a text or JSON.
 */

#define _POSIX_C_SOURCE 200809L

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "allotment_sample"
#define PROTOCOL_VERSION 1
#define AMOUNT_LARGEST INT64_C(9007199254740991) /* 2^53 - 1 */
#define COUNT_LARGEST INT64_C(1048576)           /* 2^20 */
#define HOSTS_LARGEST INT64_C(1048576)
#define SELECT_LEVELS 100
#define NONE (-1)

/* The seeds' faults, each off unless it is asked for. */
static struct {
    bool shared_cursor;
    bool key_padding;
    bool float_ledger;
    bool literal_cache;
} fault;

/* ---------------------------------------------------------------- memory and text */

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs(PROGRAM ": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void *resize(void *data, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        die("out of memory");
    void *resized = realloc(data, bytes ? bytes : 1);
    if (!resized)
        die("out of memory");
    return resized;
}

/* Room for at least `need` items; doubling keeps appending linear. */
static void *reserve(void *data, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return data;
    *room = need > 2 * *room ? need : 2 * *room;
    *room = *room < 8 ? 8 : *room;
    return resize(data, *room, size);
}

#define RESERVE(array, room, need) ((array) = reserve((array), &(room), (need), sizeof *(array)))

/* What lives and dies together is taken from one arena. */
struct chunk {
    struct chunk *older;
    size_t used, room;
    _Alignas(16) unsigned char data[];
};

struct arena {
    struct chunk *newest;
};

static void *arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
        die("out of memory");
    bytes = (bytes + 15) & ~(size_t)15;
    struct chunk *chunk = arena->newest;
    if (!chunk || chunk->room - chunk->used < bytes) {
        size_t room = bytes > 16000 ? bytes : 16000; /* a chunk holds many small things */
        chunk = resize(NULL, 1, sizeof *chunk + room);
        *chunk = (struct chunk){.older = arena->newest, .room = room};
        arena->newest = chunk;
    }
    void *taken = chunk->data + chunk->used;
    chunk->used += bytes;
    return taken;
}

/* Gives back all but one chunk, which the next user finds warm. */
static void arena_reset(struct arena *arena)
{
    struct chunk *kept = arena->newest;
    if (!kept)
        return;
    for (struct chunk *chunk = kept->older, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    kept->older = NULL;
    kept->used = 0;
}

static void arena_free(struct arena *arena)
{
    arena_reset(arena);
    free(arena->newest);
    arena->newest = NULL;
}

struct slice {
    const char *data;
    size_t size;
};

struct text {
    char *data;
    size_t used, room;
};

static void put(struct text *text, const void *bytes, size_t size)
{
    RESERVE(text->data, text->room, text->used + size);
    memcpy(text->data + text->used, bytes, size);
    text->used += size;
}

static void put_words(struct text *text, const char *words)
{
    put(text, words, strlen(words));
}

/* No value of ours ends in an opening bracket, so the last character tells what is first. */
static void put_separator(struct text *text)
{
    if (text->used && !strchr("[{", text->data[text->used - 1]))
        put(text, ",", 1);
}

static void put_integer(struct text *text, int64_t number)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%lld", (long long)number);
    put(text, digits, (size_t)size);
}

static void put_quoted(struct text *text, struct slice slice)
{
    put(text, "\"", 1);
    for (size_t i = 0; i < slice.size; i++) {
        unsigned char byte = (unsigned char)slice.data[i];
        char escape[8];
        if (byte == '"' || byte == '\\')
            put(text, "\\", 1);
        if (byte < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", byte);
            put(text, escape, 6);
        } else {
            put(text, &byte, 1);
        }
    }
    put(text, "\"", 1);
}

/* ---------------------------------------------------------------- interning */

/* Byte strings, each with a small number: the position at which it was first seen. */
struct interned {
    const void *data;
    size_t size;
    uint64_t hash;
};

struct table {
    struct arena *arena;
    struct interned *items;
    size_t count, room;
    int32_t *places;
    size_t place_count; /* a power of two, at least twice the count */
};

static uint64_t hash_of(const void *data, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 29;
}

static size_t table_place(const struct table *table, const void *data, size_t size, uint64_t hash)
{
    size_t place = hash & (table->place_count - 1);
    for (; table->places[place] != NONE; place = (place + 1) & (table->place_count - 1)) {
        const struct interned *item = &table->items[table->places[place]];
        /* The hash only finds the place; the content decides (E4). */
        if (item->hash == hash && item->size == size &&
            (size == 0 || memcmp(item->data, data, size) == 0))
            break;
    }
    return place;
}

static void table_widen(struct table *table)
{
    size_t wide = table->place_count ? 2 * table->place_count : 32;
    table->places = resize(table->places, wide, sizeof *table->places);
    table->place_count = wide;
    memset(table->places, 0xff, wide * sizeof *table->places);
    for (size_t i = 0; i < table->count; i++) {
        size_t place = table->items[i].hash & (wide - 1);
        while (table->places[place] != NONE)
            place = (place + 1) & (wide - 1);
        table->places[place] = (int32_t)i;
    }
}

static int32_t table_find(const struct table *table, const void *data, size_t size)
{
    if (!table->place_count)
        return NONE;
    return table->places[table_place(table, data, size, hash_of(data, size))];
}

static int32_t table_add(struct table *table, const void *data, size_t size)
{
    if (2 * (table->count + 1) > table->place_count)
        table_widen(table);
    uint64_t hash = hash_of(data, size);
    size_t place = table_place(table, data, size, hash);
    if (table->places[place] != NONE)
        return table->places[place];
    void *copy = arena_take(table->arena, size, 1);
    if (size)
        memcpy(copy, data, size);
    if (table->count == INT32_MAX)
        die("too many names");
    RESERVE(table->items, table->room, table->count + 1);
    table->items[table->count] = (struct interned){.data = copy, .size = size, .hash = hash};
    return table->places[place] = (int32_t)table->count++;
}

static struct slice table_text(const struct table *table, int32_t id)
{
    return (struct slice){.data = table->items[id].data, .size = table->items[id].size};
}

static void table_empty(struct table *table)
{
    table->count = 0;
    if (table->place_count)
        memset(table->places, 0xff, table->place_count * sizeof *table->places);
}

static void table_free(struct table *table)
{
    free(table->items);
    free(table->places);
}

/* ---------------------------------------------------------------- the scheduler's state */

enum use { HOST_AMOUNT, SHARED_AMOUNT, NUMBER_ATTRIBUTE, TEXT_ATTRIBUTE };

/* Declared names have numbers in this order: slots, host amounts, shared amounts, attributes. */
struct resource {
    enum use use;
    size_t index; /* among those of its use; attributes of both types count together */
};

enum { SLOTS = 0 };

struct attribute {
    enum { ABSENT, NUMBER, TEXT } type;
    int32_t text;
    int64_t number; /* thousandths */
};

enum holder_kind { USER, QUEUE, PROJECT, HOLDER_KINDS };
static const char *const holder_kind_words[] = {"user", "queue", "project", NULL};

struct limit {
    int32_t kind;
    int32_t name; /* NONE: each of its kind */
    bool per_host;
    int32_t resource;
    int64_t cap;
};

struct configuration {
    size_t host_count, host_room;
    int64_t **capacity; /* [host amount][host] */
    bool *open;
    struct attribute **attributes; /* [attribute][host] */
    int64_t *pools;
    struct limit *limits;
    size_t limit_count, limit_room;
};

/* What a primary asks of one resource; its bytes are the rusage's part of the key. */
struct want {
    int64_t resource;
    int64_t per_task;
    int64_t per_unit; /* per host for a host amount, per job for a shared one */
};
_Static_assert(sizeof(struct want) == 24, "a want is compared by its bytes and has no padding");

struct counts {
    bool given;
    int64_t min, max;
};

struct span {
    int32_t hosts_min, hosts_max, tasks_per_host;
    int32_t ptile; /* 0: none */
};

struct primary {
    struct counts tasks;
    struct span span;
    int32_t select; /* NONE: every host */
    int32_t key;
    struct want *wants; /* slots, then host amounts, then shared amounts */
    size_t host_want_count, want_count;
};

struct alternative {
    struct primary *parts;
    size_t part_count;
};

/* A host taken by a bucket. Reversing one that is not held changes nothing (UNDO-2). */
struct claim {
    int32_t part, host, slots;
    bool held;
};

struct job {
    int32_t name, identity;
    int64_t priority;
    enum { PENDING, LIVE, FINISHED, WITHDRAWN } state;
    bool finish_waits;
    int64_t session_tried;
    struct alternative *alternatives;
    size_t alternative_count;
    size_t won; /* the alternative, while the job is live */
    struct claim *claims;
    size_t claim_count;
};

enum category { SPAN, SELECT, SHARED, LIMIT, CAPACITY };
static const char *const category_words[] = {"span", "select", "shared", "limit", "capacity"};

/* All that is known about one key. */
struct key_state {
    int64_t session_filled; /* in the cache, if that is the present session */
    enum category category;
    int64_t version_asked; /* `never` holds for that version of the configuration */
    bool never;
};

struct identity {
    int32_t names[HOLDER_KINDS];
    int64_t version; /* of the configuration for which the rows were looked up */
    int32_t *rows;
    size_t row_count;
};

/* The present ledger, and the one of the empty cluster that `never` asks about (WHY-2). */
enum ledger { PRESENT, EMPTY, LEDGERS };

/* What is left under one limit for one holder. */
struct limit_row {
    int32_t limit, holder;
    int64_t *left[LEDGERS];
};

struct select_state {
    int64_t version;
    bool *passes; /* [host] */
    size_t pass_count;
};

/* One row of the ledger that a primary debits. */
struct demand {
    int64_t *left;
    size_t stride;
    int64_t per_task, per_unit;
    int64_t want; /* of the bucket that is searched for, set when its search starts */
    bool limit;
    double *float_used; /* fault float-ledger only */
    const int64_t *capacity;
};

struct search {
    const struct primary *primary;
    struct demand *demands; /* those that go by bucket, then those of the shared pass */
    size_t host_demand_count, demand_count, room;
    bool shared_held;
    const bool *passes, *open; /* NULL: every host does */
};

/* The treatment of one job in one run, or a question about one primary that leaves no trace. */
struct attempt {
    struct scheduler *scheduler;
    struct search *searches; /* one for each part */
    size_t search_room;
    struct claim *claims;
    size_t claim_count, claim_room;
    struct text *events;  /* NULL: not reported */
    int64_t *polls_left; /* NULL: cannot be cancelled */
    bool cancelled;
};

struct scheduler {
    struct arena arena;   /* what stays for good */
    struct arena derived; /* what follows from the configuration, made anew when that changes */
    struct arena scratch; /* for the evaluation of selects */

    struct table resource_names, host_names, job_names, names;
    struct resource *resources;
    size_t resource_room;
    size_t use_count[3]; /* host amounts with slots, shared amounts, attributes */

    struct configuration current, waiting;
    bool change_waits;
    int64_t version; /* counts configurations, from 1 */
    int64_t session; /* from 1 */

    int64_t **left[LEDGERS];     /* [host amount][host] */
    int64_t *pool_left[LEDGERS]; /* [pool] */
    double **float_used;         /* [host amount][host], fault float-ledger only */
    bool beyond_integers;        /* what a limit counts left 64 bits */
    int64_t *claimed_in;         /* [host]: the last plan that claimed it */
    int64_t plan_number;

    struct table row_names; /* (limit, holder) */
    struct limit_row *rows;
    size_t row_room;

    struct table identity_names, select_trees, rusages, keys;
    struct identity *identities;
    struct select_state *selects;
    struct key_state *key_states;
    size_t identity_room, select_room, key_room;
    uint32_t padding; /* fault key-padding only */

    struct job **jobs;
    size_t job_room;
    struct job **queue; /* may hold jobs that are no longer pending, until the next run */
    size_t queue_count, queue_room;
    struct job **live;
    size_t live_count, live_room;

    struct attempt attempt, question;
};

/* ---------------------------------------------------------------- reading JSON */

/* In the order of SPEC.md 2.3: of several, the first is the answer. */
enum code {
    DUPLICATE_NAME, UNKNOWN_NAME, NOT_RUNNING, NOT_PENDING, IDENTITY_MISSING, EMPTY_COMPOUND,
    TASKS_RANGE, COUNTS, SPAN_RANGE, SLOTS_IN_RUSAGE, UNKNOWN_RESOURCE, NOT_AN_ATTRIBUTE, TYPE,
    PER_HOST_ON_POOL, PER_JOB_ON_HOST, AMOUNT_RANGE, SYNTAX, ACCEPTED
};

static const char *const code_words[] = {
    "duplicate-name", "unknown-name", "not-running", "not-pending", "identity-missing",
    "empty-compound", "tasks-range", "counts", "span-range", "slots-in-rusage",
    "unknown-resource", "not-an-attribute", "type", "per-host-on-pool", "per-job-on-host",
    "amount-range", "syntax"
};
_Static_assert(sizeof code_words / sizeof *code_words == ACCEPTED, "a word for each code");

/*
 * What reading has found out. A refusal is an answer; a problem means that this is not a case.
 * Both are noted and reading goes on, with harmless values for what could not be read: nothing
 * is applied before the whole event was read, and no reader has to unwind.
 */
struct reading {
    struct scheduler *scheduler;
    enum code code;
    bool has_problem;
    struct text problem;
    struct select_node *nodes;
    size_t node_count, node_room;
};

static void refuse(struct reading *in, enum code code)
{
    if (code < in->code)
        in->code = code;
}

static void refuse_if(struct reading *in, bool wrong, enum code code)
{
    if (wrong)
        refuse(in, code);
}

static void complain(struct reading *in, const char *what, const char *complaint)
{
    if (in->has_problem)
        return;
    in->has_problem = true;
    in->problem.used = 0;
    put_words(&in->problem, what);
    put_words(&in->problem, complaint);
}

static bool may_apply(const struct reading *in)
{
    return !in->has_problem && in->code == ACCEPTED;
}

/* Complains about whatever is not an object of these fields; the list ends with NULL. */
static void expect_fields(struct reading *in, json_t *json, const char *what,
                          const char *const *fields)
{
    const char *name;
    json_t *value;
    if (!json_is_object(json))
        complain(in, what, " is not an object");
    json_object_foreach(json, name, value) {
        size_t i = 0;
        while (fields[i] && strcmp(fields[i], name) != 0)
            i++;
        if (!fields[i])
            complain(in, name, " is not a known field");
    }
}

#define FIELDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static int64_t read_integer(struct reading *in, const json_t *json, const char *what)
{
    if (!json_is_integer(json))
        complain(in, what, " is not an integer");
    return json_integer_value(json);
}

static struct slice read_text(struct reading *in, const json_t *json, const char *what)
{
    if (!json_is_string(json)) {
        complain(in, what, " is not a text");
        return (struct slice){.data = "", .size = 0};
    }
    return (struct slice){.data = json_string_value(json), .size = json_string_length(json)};
}

static bool read_boolean(struct reading *in, const json_t *json, const char *what)
{
    if (!json_is_boolean(json))
        complain(in, what, " is not true or false");
    return json_is_true(json);
}

/* The position of a word in a list that ends with NULL. */
static int32_t read_word(struct reading *in, const json_t *json, const char *what,
                         const char *const *words)
{
    struct slice word = read_text(in, json, what);
    for (int32_t i = 0; words[i]; i++)
        if (word.size == strlen(words[i]) && memcmp(word.data, words[i], word.size) == 0)
            return i;
    complain(in, what, " has an unknown value");
    return 0;
}

static void expect_array(struct reading *in, const json_t *json, const char *what)
{
    if (!json_is_array(json))
        complain(in, what, " is not a list");
}

static bool is_amount(int64_t amount)
{
    return amount >= 0 && amount <= AMOUNT_LARGEST;
}

static bool is_number(int64_t number)
{
    return number >= -AMOUNT_LARGEST && number <= AMOUNT_LARGEST;
}

static int64_t read_amount(struct reading *in, const json_t *json, const char *what)
{
    int64_t amount = read_integer(in, json, what);
    refuse_if(in, !is_amount(amount), AMOUNT_RANGE);
    return amount;
}

static int32_t find_resource(const struct scheduler *s, struct slice name)
{
    return table_find(&s->resource_names, name.data, name.size);
}

static bool has_use(const struct scheduler *s, int32_t resource, enum use use)
{
    return resource != NONE && s->resources[resource].use == use;
}

/* ---------------------------------------------------------------- exact rationals */

/*
 * A select multiplies and divides numbers of 53 bits as deep as it is nested, so no fixed width
 * is exact. These integers grow; there is no division among them, because a quotient of
 * rationals is a product, and a rational need not be reduced to be compared.
 */
struct integer {
    int sign; /* -1, 0, 1 */
    size_t count;
    uint32_t *limbs; /* least significant first; the last is not zero */
};

struct rational {
    struct integer numerator, denominator; /* the denominator is positive */
};

static struct integer integer_of(struct arena *arena, int64_t number)
{
    struct integer made = {.sign = (number > 0) - (number < 0)};
    uint64_t magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;
    made.limbs = arena_take(arena, 2, sizeof *made.limbs);
    for (; magnitude; magnitude >>= 32)
        made.limbs[made.count++] = (uint32_t)magnitude;
    return made;
}

static int compare_magnitudes(struct integer a, struct integer b)
{
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    for (size_t i = a.count; i-- > 0;)
        if (a.limbs[i] != b.limbs[i])
            return a.limbs[i] < b.limbs[i] ? -1 : 1;
    return 0;
}

static int integer_compare(struct integer a, struct integer b)
{
    if (a.sign != b.sign)
        return a.sign < b.sign ? -1 : 1;
    return a.sign * compare_magnitudes(a, b);
}

static struct integer integer_multiply(struct arena *arena, struct integer a, struct integer b)
{
    struct integer product = {.sign = a.sign * b.sign};
    if (!product.sign)
        return product;
    product.count = a.count + b.count;
    product.limbs = arena_take(arena, product.count, sizeof *product.limbs);
    memset(product.limbs, 0, product.count * sizeof *product.limbs);
    for (size_t i = 0; i < a.count; i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.count; j++) {
            carry += (uint64_t)a.limbs[i] * b.limbs[j] + product.limbs[i + j];
            product.limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product.limbs[i + b.count] = (uint32_t)carry;
    }
    product.count -= product.limbs[product.count - 1] == 0;
    return product;
}

/* The sum of magnitudes, or the larger less the smaller; `a` is not the smaller one. */
static struct integer combine_magnitudes(struct arena *arena, struct integer a, struct integer b,
                                         int direction)
{
    struct integer made = {.sign = a.sign, .count = a.count + 1};
    made.limbs = arena_take(arena, made.count, sizeof *made.limbs);
    int64_t carry = 0;
    for (size_t i = 0; i < made.count; i++) {
        carry += i < a.count ? a.limbs[i] : 0;
        carry += direction * (int64_t)(i < b.count ? b.limbs[i] : 0);
        made.limbs[i] = (uint32_t)carry;
        carry = carry < 0 ? -1 : carry >> 32;
    }
    while (made.count && made.limbs[made.count - 1] == 0)
        made.count--;
    made.sign = made.count ? made.sign : 0;
    return made;
}

static struct integer integer_add(struct arena *arena, struct integer a, struct integer b)
{
    if (!a.sign || !b.sign)
        return a.sign ? a : b;
    bool swapped = compare_magnitudes(a, b) < 0;
    return combine_magnitudes(arena, swapped ? b : a, swapped ? a : b,
                              a.sign == b.sign ? 1 : -1);
}

static struct integer integer_negate(struct integer a)
{
    a.sign = -a.sign;
    return a;
}

static struct rational rational_of(struct arena *arena, int64_t thousandths)
{
    return (struct rational){integer_of(arena, thousandths), integer_of(arena, 1000)};
}

/* Brings both to one denominator, which numbers that were only read have already. */
static void align(struct arena *arena, struct rational *a, struct rational *b)
{
    if (integer_compare(a->denominator, b->denominator) == 0)
        return;
    struct integer common = integer_multiply(arena, a->denominator, b->denominator);
    a->numerator = integer_multiply(arena, a->numerator, b->denominator);
    b->numerator = integer_multiply(arena, b->numerator, a->denominator);
    a->denominator = b->denominator = common;
}

static struct rational rational_divide(struct arena *arena, struct rational a, struct rational b)
{
    assert(b.numerator.sign != 0);
    struct rational quotient = {
        integer_multiply(arena, a.numerator, b.denominator),
        integer_multiply(arena, a.denominator, b.numerator),
    };
    quotient.numerator.sign *= quotient.denominator.sign;
    quotient.denominator.sign = 1;
    return quotient;
}

/* ---------------------------------------------------------------- selects */

enum select_op {
    OP_NOT, OP_NEGATE, OP_MULTIPLY, OP_DIVIDE, OP_ADD, OP_SUBTRACT, OP_LESS, OP_AT_MOST, OP_MORE,
    OP_AT_LEAST, OP_EQUAL, OP_UNEQUAL, OP_AND, OP_OR, OP_NUMBER, OP_TEXT, OP_ATTRIBUTE, OP_DEFINED
};

static const char *const operator_words[] = {
    "!", "neg", "*", "/", "+", "-", "<", "<=", ">", ">=", "==", "!=", "&&", "||", NULL
};

/* Nodes stand in the order of reading, operands first, so that equal trees have equal bytes. */
struct select_node {
    int32_t op;
    int32_t left, right; /* positions of the operands */
    int32_t name;        /* the attribute's index, or the text */
    int64_t number;
};
_Static_assert(sizeof(struct select_node) == 24, "a tree is compared by its bytes: no padding");

/* UNSURE is what already has a refusal that comes before `type`. */
enum select_type { UNSURE, IS_NUMBER, IS_TEXT };

struct typed_node {
    int32_t position;
    enum select_type type;
};

static struct typed_node add_node(struct reading *in, struct select_node node,
                                  enum select_type type)
{
    RESERVE(in->nodes, in->node_room, in->node_count + 1);
    in->nodes[in->node_count] = node;
    return (struct typed_node){.position = (int32_t)in->node_count++, .type = type};
}

static struct typed_node read_attribute_name(struct reading *in, const json_t *json,
                                             enum select_op op)
{
    const struct scheduler *s = in->scheduler;
    int32_t resource = find_resource(s, read_text(in, json, "attribute"));
    struct select_node node = {.op = op, .name = NONE};
    if (resource == NONE) {
        refuse(in, UNKNOWN_RESOURCE);
        return add_node(in, node, UNSURE);
    }
    if (s->resources[resource].use < NUMBER_ATTRIBUTE) {
        refuse(in, NOT_AN_ATTRIBUTE);
        return add_node(in, node, UNSURE);
    }
    node.name = (int32_t)s->resources[resource].index;
    bool text = op == OP_ATTRIBUTE && has_use(s, resource, TEXT_ATTRIBUTE);
    return add_node(in, node, text ? IS_TEXT : IS_NUMBER);
}

static struct typed_node read_leaf(struct reading *in, json_t *json)
{
    json_t *value;
    if (json_object_size(json) != 1)
        complain(in, "an expression", " must be a number, text, attribute, defined or operation");
    if ((value = json_object_get(json, "number"))) {
        int64_t number = read_integer(in, value, "number");
        refuse_if(in, !is_number(number), AMOUNT_RANGE);
        return add_node(in, (struct select_node){.op = OP_NUMBER, .number = number}, IS_NUMBER);
    }
    if ((value = json_object_get(json, "text"))) {
        struct slice text = read_text(in, value, "text");
        int32_t name = table_add(&in->scheduler->names, text.data, text.size);
        return add_node(in, (struct select_node){.op = OP_TEXT, .name = name}, IS_TEXT);
    }
    if ((value = json_object_get(json, "attribute")))
        return read_attribute_name(in, value, OP_ATTRIBUTE);
    return read_attribute_name(in, json_object_get(json, "defined"), OP_DEFINED);
}

static bool operand_types_fit(enum select_op op, enum select_type left, enum select_type right)
{
    if (left == UNSURE || right == UNSURE)
        return true;
    if (op == OP_EQUAL || op == OP_UNEQUAL)
        return left == right;
    return left == IS_NUMBER && right == IS_NUMBER;
}

static struct typed_node read_expression(struct reading *in, json_t *json, int level)
{
    refuse_if(in, level > SELECT_LEVELS, SYNTAX);
    json_t *operator = json_object_get(json, "op");
    if (!operator)
        return read_leaf(in, json);
    expect_fields(in, json, "an expression", FIELDS("op", "args"));
    enum select_op op = (enum select_op)read_word(in, operator, "op", operator_words);
    json_t *args = json_object_get(json, "args");
    size_t count = op <= OP_NEGATE ? 1 : 2;
    if (!json_is_array(args) || json_array_size(args) != count) {
        complain(in, "args", " is not a list of as many as the operator takes");
        return add_node(in, (struct select_node){.op = OP_NUMBER}, UNSURE);
    }
    struct typed_node left = read_expression(in, json_array_get(args, 0), level + 1);
    struct typed_node right = left;
    if (count == 2)
        right = read_expression(in, json_array_get(args, 1), level + 1);
    refuse_if(in, !operand_types_fit(op, left.type, right.type), TYPE);
    struct select_node node = {.op = op, .left = left.position, .right = right.position};
    return add_node(in, node, IS_NUMBER);
}

static int32_t read_select(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    if (!json)
        return NONE;
    in->node_count = 0;
    struct typed_node root = read_expression(in, json, 1);
    refuse_if(in, root.type == IS_TEXT, TYPE);
    int32_t select = table_add(&s->select_trees, in->nodes, in->node_count * sizeof *in->nodes);
    if ((size_t)select >= s->select_room) {
        size_t known = s->select_room;
        RESERVE(s->selects, s->select_room, (size_t)select + 1);
        memset(s->selects + known, 0, (s->select_room - known) * sizeof *s->selects);
    }
    return select;
}

struct value {
    int32_t text;
    struct rational number;
};

struct evaluation {
    struct arena *arena;
    const struct select_node *nodes;
    struct attribute **attributes;
    size_t host;
};

static bool evaluate(const struct evaluation *on, int32_t position, struct value *value);

static bool is_true(const struct value *value)
{
    return value->number.numerator.sign != 0;
}

/* Left first, and the right side only if it decides (SELECT-3). */
static bool evaluate_logic(const struct evaluation *on, const struct select_node *node, bool *truth)
{
    struct value value;
    if (!evaluate(on, node->left, &value))
        return false;
    *truth = is_true(&value);
    if (*truth != (node->op == OP_AND))
        return true;
    if (!evaluate(on, node->right, &value))
        return false;
    *truth = is_true(&value);
    return true;
}

static bool compare_values(const struct evaluation *on, const struct select_node *node,
                           struct value left, struct value right)
{
    bool texts = left.text != NONE;
    int order = left.text != right.text;
    if (!texts) {
        align(on->arena, &left.number, &right.number);
        order = integer_compare(left.number.numerator, right.number.numerator);
    }
    switch (node->op) {
    case OP_LESS: return order < 0;
    case OP_AT_MOST: return order <= 0;
    case OP_MORE: return order > 0;
    case OP_AT_LEAST: return order >= 0;
    case OP_EQUAL: return order == 0;
    default: return order != 0;
    }
}

static bool calculate(const struct evaluation *on, enum select_op op, struct value left,
                      struct value right, struct rational *result)
{
    if (op == OP_DIVIDE && right.number.numerator.sign == 0)
        return false;
    if (op == OP_DIVIDE) {
        *result = rational_divide(on->arena, left.number, right.number);
        return true;
    }
    if (op == OP_MULTIPLY) {
        result->numerator =
            integer_multiply(on->arena, left.number.numerator, right.number.numerator);
        result->denominator =
            integer_multiply(on->arena, left.number.denominator, right.number.denominator);
        return true;
    }
    if (op == OP_SUBTRACT)
        right.number.numerator = integer_negate(right.number.numerator);
    align(on->arena, &left.number, &right.number);
    result->numerator = integer_add(on->arena, left.number.numerator, right.number.numerator);
    result->denominator = left.number.denominator;
    return true;
}

static bool evaluate_leaf(const struct evaluation *on, const struct select_node *node,
                          struct value *value)
{
    if (node->op == OP_NUMBER) {
        value->number = rational_of(on->arena, node->number);
        return true;
    }
    if (node->op == OP_TEXT) {
        value->text = node->name;
        return true;
    }
    const struct attribute *attribute = &on->attributes[node->name][on->host];
    if (node->op == OP_DEFINED) {
        value->number = rational_of(on->arena, attribute->type == ABSENT ? 0 : 1000);
        return true;
    }
    if (attribute->type == TEXT)
        value->text = attribute->text;
    else
        value->number = rational_of(on->arena, attribute->number);
    return attribute->type != ABSENT;
}

/* False if the host is left out, whatever stands around (SELECT-4). */
static bool evaluate(const struct evaluation *on, int32_t position, struct value *value)
{
    const struct select_node *node = &on->nodes[position];
    struct value left, right;
    bool truth;
    *value = (struct value){.text = NONE};
    if (node->op >= OP_NUMBER)
        return evaluate_leaf(on, node, value);
    if (node->op == OP_AND || node->op == OP_OR) {
        if (!evaluate_logic(on, node, &truth))
            return false;
        value->number = rational_of(on->arena, truth ? 1000 : 0);
        return true;
    }
    if (!evaluate(on, node->left, &left))
        return false;
    if (node->op == OP_NEGATE) {
        value->number = left.number;
        value->number.numerator = integer_negate(left.number.numerator);
        return true;
    }
    if (node->op == OP_NOT) {
        value->number = rational_of(on->arena, is_true(&left) ? 0 : 1000);
        return true;
    }
    if (!evaluate(on, node->right, &right))
        return false;
    if (node->op < OP_LESS)
        return calculate(on, (enum select_op)node->op, left, right, &value->number);
    truth = compare_values(on, node, left, right);
    value->number = rational_of(on->arena, truth ? 1000 : 0);
    return true;
}

/* Which hosts pass, evaluated once for each configuration: a select reads attributes only. */
static const struct select_state *select_hosts(struct scheduler *s, int32_t select)
{
    struct select_state *state = &s->selects[select];
    if (state->version == s->version)
        return state;
    const struct interned *tree = &s->select_trees.items[select];
    struct evaluation on = {
        .arena = &s->scratch, .nodes = tree->data, .attributes = s->current.attributes
    };
    int32_t root = (int32_t)(tree->size / sizeof *on.nodes) - 1;
    state->passes = arena_take(&s->derived, s->current.host_count, sizeof *state->passes);
    state->pass_count = 0;
    for (; on.host < s->current.host_count; on.host++) {
        struct value value;
        arena_reset(&s->scratch);
        state->passes[on.host] = evaluate(&on, root, &value) && is_true(&value);
        state->pass_count += state->passes[on.host];
    }
    state->version = s->version;
    return state;
}

/* ---------------------------------------------------------------- configuration */

static void reserve_hosts(struct scheduler *s, struct configuration *c, size_t need)
{
    if (need <= c->host_room)
        return;
    size_t room = need > 2 * c->host_room ? need : 2 * c->host_room;
    for (size_t i = 0; i < s->use_count[HOST_AMOUNT]; i++)
        c->capacity[i] = resize(c->capacity[i], room, sizeof **c->capacity);
    for (size_t i = 0; i < s->use_count[NUMBER_ATTRIBUTE]; i++)
        c->attributes[i] = resize(c->attributes[i], room, sizeof **c->attributes);
    c->open = resize(c->open, room, sizeof *c->open);
    c->host_room = room;
}

static void prepare_configuration(struct scheduler *s, struct configuration *c)
{
    size_t amounts = s->use_count[HOST_AMOUNT], attributes = s->use_count[NUMBER_ATTRIBUTE];
    size_t pools = s->use_count[SHARED_AMOUNT];
    c->capacity = arena_take(&s->arena, amounts, sizeof *c->capacity);
    memset(c->capacity, 0, amounts * sizeof *c->capacity);
    c->attributes = arena_take(&s->arena, attributes, sizeof *c->attributes);
    memset(c->attributes, 0, attributes * sizeof *c->attributes);
    c->pools = arena_take(&s->arena, pools, sizeof *c->pools);
    memset(c->pools, 0, pools * sizeof *c->pools);
    reserve_hosts(s, c, 8); /* so that every array is there, also without hosts */
}

static void copy_configuration(struct scheduler *s, struct configuration *to,
                               const struct configuration *from)
{
    size_t hosts = to->host_count = from->host_count;
    reserve_hosts(s, to, hosts);
    for (size_t i = 0; i < s->use_count[HOST_AMOUNT]; i++)
        memcpy(to->capacity[i], from->capacity[i], hosts * sizeof **to->capacity);
    for (size_t i = 0; i < s->use_count[NUMBER_ATTRIBUTE]; i++)
        memcpy(to->attributes[i], from->attributes[i], hosts * sizeof **to->attributes);
    memcpy(to->open, from->open, hosts * sizeof *to->open);
    memcpy(to->pools, from->pools, s->use_count[SHARED_AMOUNT] * sizeof *to->pools);
    RESERVE(to->limits, to->limit_room, from->limit_count);
    to->limit_count = from->limit_count;
    if (from->limit_count)
        memcpy(to->limits, from->limits, from->limit_count * sizeof *to->limits);
}

static void free_configuration(struct scheduler *s, struct configuration *c)
{
    for (size_t i = 0; c->capacity && i < s->use_count[HOST_AMOUNT]; i++)
        free(c->capacity[i]);
    for (size_t i = 0; c->attributes && i < s->use_count[NUMBER_ATTRIBUTE]; i++)
        free(c->attributes[i]);
    free(c->open);
    free(c->limits);
}

/* The readers below run twice on one event: first only to judge it, then to apply it. */
static void read_capacity(struct reading *in, json_t *json, size_t host, bool apply)
{
    struct scheduler *s = in->scheduler;
    const char *name;
    json_t *value;
    if (!json_is_object(json))
        complain(in, "capacity", " is not an object");
    json_object_foreach(json, name, value) {
        int32_t resource = find_resource(s, (struct slice){name, strlen(name)});
        int64_t amount = read_amount(in, value, name);
        refuse_if(in, !has_use(s, resource, HOST_AMOUNT), UNKNOWN_RESOURCE);
        if (apply)
            s->waiting.capacity[s->resources[resource].index][host] = amount;
    }
}

static struct attribute read_attribute(struct reading *in, const json_t *json, int32_t resource)
{
    struct scheduler *s = in->scheduler;
    struct attribute made = {.type = ABSENT};
    if (json_is_null(json))
        return made;
    if (json_is_string(json)) {
        struct slice text = read_text(in, json, "attribute");
        made.type = TEXT;
        made.text = table_add(&s->names, text.data, text.size);
        refuse_if(in, has_use(s, resource, NUMBER_ATTRIBUTE), TYPE);
        return made;
    }
    made.type = NUMBER;
    made.number = read_integer(in, json, "attribute");
    refuse_if(in, has_use(s, resource, TEXT_ATTRIBUTE), TYPE);
    refuse_if(in, !is_number(made.number), AMOUNT_RANGE);
    return made;
}

static void read_attributes(struct reading *in, json_t *json, size_t host, bool apply)
{
    struct scheduler *s = in->scheduler;
    const char *name;
    json_t *value;
    if (!json_is_object(json))
        complain(in, "attributes", " is not an object");
    json_object_foreach(json, name, value) {
        int32_t resource = find_resource(s, (struct slice){name, strlen(name)});
        struct attribute attribute = read_attribute(in, value, resource);
        bool declared = resource != NONE && s->resources[resource].use >= NUMBER_ATTRIBUTE;
        refuse_if(in, !declared, UNKNOWN_RESOURCE);
        if (apply)
            s->waiting.attributes[s->resources[resource].index][host] = attribute;
    }
}

static void read_host_parts(struct reading *in, json_t *json, size_t host, bool apply)
{
    json_t *capacity = json_object_get(json, "capacity");
    json_t *attributes = json_object_get(json, "attributes");
    json_t *open = json_object_get(json, "open");
    if (capacity)
        read_capacity(in, capacity, host, apply);
    if (attributes)
        read_attributes(in, attributes, host, apply);
    bool is_open = open && read_boolean(in, open, "open");
    if (open && apply)
        in->scheduler->waiting.open[host] = is_open;
}

static void append_host(struct scheduler *s, struct slice name)
{
    struct configuration *c = &s->waiting;
    size_t host = c->host_count;
    reserve_hosts(s, c, host + 1);
    for (size_t i = 0; i < s->use_count[HOST_AMOUNT]; i++)
        c->capacity[i][host] = 0;
    for (size_t i = 0; i < s->use_count[NUMBER_ATTRIBUTE]; i++)
        c->attributes[i][host] = (struct attribute){.type = ABSENT};
    c->open[host] = true;
    int32_t number = table_add(&s->host_names, name.data, name.size);
    assert((size_t)number == host);
    (void)number;
    c->host_count++;
}

static void add_host(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    const char *attribute;
    json_t *value;
    expect_fields(in, json, "host", FIELDS("name", "capacity", "attributes", "open"));
    struct slice name = read_text(in, json_object_get(json, "name"), "name");
    refuse_if(in, table_find(&s->host_names, name.data, name.size) != NONE, DUPLICATE_NAME);
    if (!json_object_get(json, "capacity"))
        complain(in, "capacity", " is missing");
    json_object_foreach(json_object_get(json, "attributes"), attribute, value)
        if (json_is_null(value))
            complain(in, attribute, " is null on a new host");
    size_t host = s->waiting.host_count;
    read_host_parts(in, json, host, false);
    if (!may_apply(in))
        return;
    append_host(s, name);
    read_host_parts(in, json, host, true);
    s->change_waits = true;
}

static void change_host(struct reading *in, json_t *event)
{
    struct scheduler *s = in->scheduler;
    struct slice name = read_text(in, json_object_get(event, "host"), "host");
    int32_t host = table_find(&s->host_names, name.data, name.size);
    refuse_if(in, host == NONE, UNKNOWN_NAME);
    read_host_parts(in, event, 0, false);
    if (!may_apply(in))
        return;
    read_host_parts(in, event, (size_t)host, true);
    s->change_waits = true;
}

static void change_pool(struct reading *in, struct slice pool, const json_t *capacity)
{
    struct scheduler *s = in->scheduler;
    int32_t resource = find_resource(s, pool);
    int64_t amount = read_amount(in, capacity, "capacity");
    refuse_if(in, !has_use(s, resource, SHARED_AMOUNT), UNKNOWN_RESOURCE);
    if (!may_apply(in))
        return;
    s->waiting.pools[s->resources[resource].index] = amount;
    s->change_waits = true;
}

static int32_t read_limit_name(struct reading *in, json_t *json)
{
    json_t *name = json_object_get(json, "name"), *each = json_object_get(json, "each");
    if (!name == !each || (each && !json_is_true(each)))
        complain(in, "a limit", " has exactly one of name and each: true");
    if (!name)
        return NONE;
    struct slice text = read_text(in, name, "name");
    refuse_if(in, text.size == 0, IDENTITY_MISSING);
    return table_add(&in->scheduler->names, text.data, text.size);
}

/* A limit apart from its cap. */
static struct limit read_limit(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    struct limit limit = {
        .kind = read_word(in, json_object_get(json, "kind"), "kind", holder_kind_words),
        .name = read_limit_name(in, json),
        .per_host = read_word(in, json_object_get(json, "scope"), "scope",
                              FIELDS("cluster", "host")) == 1,
        .resource = find_resource(s, read_text(in, json_object_get(json, "resource"), "resource")),
    };
    bool known = limit.resource != NONE && s->resources[limit.resource].use < NUMBER_ATTRIBUTE;
    refuse_if(in, !known, UNKNOWN_RESOURCE);
    refuse_if(in, limit.per_host && has_use(s, limit.resource, SHARED_AMOUNT), PER_HOST_ON_POOL);
    return limit;
}

/* The limit that agrees in all but the cap; NULL if there is none. */
static struct limit *find_limit(struct configuration *c, const struct limit *same)
{
    for (size_t i = 0; i < c->limit_count; i++) {
        struct limit *limit = &c->limits[i];
        if (limit->kind == same->kind && limit->name == same->name &&
            limit->per_host == same->per_host && limit->resource == same->resource)
            return limit;
    }
    return NULL;
}

static void set_limit(struct reading *in, json_t *json, bool must_be_new)
{
    struct configuration *c = &in->scheduler->waiting;
    expect_fields(in, json, "limit", FIELDS("kind", "name", "each", "scope", "resource", "cap"));
    struct limit limit = read_limit(in, json);
    limit.cap = read_amount(in, json_object_get(json, "cap"), "cap");
    if (!may_apply(in))
        return;
    struct limit *same = find_limit(c, &limit);
    if (same && must_be_new)
        complain(in, "a limit", " is named twice");
    if (same) {
        same->cap = limit.cap;
    } else {
        RESERVE(c->limits, c->limit_room, c->limit_count + 1);
        c->limits[c->limit_count++] = limit;
    }
    in->scheduler->change_waits = true;
}

static void remove_limit(struct reading *in, json_t *json)
{
    struct configuration *c = &in->scheduler->waiting;
    expect_fields(in, json, "limit", FIELDS("kind", "name", "each", "scope", "resource"));
    struct limit limit = read_limit(in, json);
    /* What could not be set is not there either. */
    struct limit *found = in->code == ACCEPTED ? find_limit(c, &limit) : NULL;
    in->code = found ? ACCEPTED : UNKNOWN_NAME;
    if (!may_apply(in))
        return;
    memmove(found, found + 1, (size_t)(c->limits + c->limit_count - found - 1) * sizeof *found);
    c->limit_count--;
    in->scheduler->change_waits = true;
}

/* ---------------------------------------------------------------- ingest */

static struct counts read_counts(struct reading *in, json_t *json)
{
    struct counts counts = {.given = json != NULL};
    if (!json)
        return counts;
    expect_fields(in, json, "tasks", FIELDS("min", "max"));
    counts.min = read_integer(in, json_object_get(json, "min"), "min");
    counts.max = read_integer(in, json_object_get(json, "max"), "max");
    bool in_range = counts.min >= 1 && counts.min <= counts.max && counts.max <= COUNT_LARGEST;
    refuse_if(in, !in_range, TASKS_RANGE);
    /* A value that is harmless in the sums that follow. */
    return in_range ? counts : (struct counts){.given = true, .min = 1, .max = 1};
}

static int32_t read_bound(struct reading *in, json_t *span, const char *name, int32_t left_out)
{
    json_t *json = json_object_get(span, name);
    if (!json)
        return left_out;
    int64_t bound = read_integer(in, json, name);
    bool in_range = bound >= 1 && bound <= COUNT_LARGEST;
    refuse_if(in, !in_range, SPAN_RANGE);
    return in_range ? (int32_t)bound : left_out;
}

static struct span read_span(struct reading *in, json_t *json)
{
    if (json)
        expect_fields(in, json, "span",
                      FIELDS("hosts_min", "hosts_max", "tasks_per_host", "ptile"));
    return (struct span){
        .hosts_min = read_bound(in, json, "hosts_min", 1),
        .hosts_max = read_bound(in, json, "hosts_max", COUNT_LARGEST),
        .tasks_per_host = read_bound(in, json, "tasks_per_host", COUNT_LARGEST),
        .ptile = read_bound(in, json, "ptile", 0),
    };
}

enum per { PER_TASK, PER_HOST, PER_JOB };

/* The default is the profile's rusage_default for a host amount, and SHARED-1 for a shared one. */
static enum per read_per(struct reading *in, const json_t *json, bool shared)
{
    if (!json)
        return shared ? PER_JOB : PER_TASK;
    enum per per = (enum per)read_word(in, json, "per", FIELDS("task", "host", "job"));
    refuse_if(in, shared && per == PER_HOST, PER_HOST_ON_POOL);
    refuse_if(in, !shared && per == PER_JOB, PER_JOB_ON_HOST);
    return per;
}

/* The want for a resource, in a list that is kept in the order of resources. */
static struct want *want_for(struct primary *primary, int64_t resource)
{
    size_t i = primary->want_count;
    while (i > 0 && primary->wants[i - 1].resource >= resource)
        i--;
    if (i < primary->want_count && primary->wants[i].resource == resource)
        return &primary->wants[i];
    memmove(&primary->wants[i + 1], &primary->wants[i],
            (primary->want_count++ - i) * sizeof *primary->wants);
    primary->wants[i] = (struct want){.resource = resource};
    return &primary->wants[i];
}

static void read_usage(struct reading *in, json_t *json, struct primary *primary)
{
    const struct scheduler *s = in->scheduler;
    expect_fields(in, json, "a usage", FIELDS("resource", "amount", "per"));
    int32_t resource =
        find_resource(s, read_text(in, json_object_get(json, "resource"), "resource"));
    int64_t amount = read_amount(in, json_object_get(json, "amount"), "amount");
    json_t *per_json = json_object_get(json, "per");
    refuse_if(in, resource == SLOTS, SLOTS_IN_RUSAGE);
    if (resource == NONE || s->resources[resource].use >= NUMBER_ATTRIBUTE) {
        refuse(in, UNKNOWN_RESOURCE);
        if (per_json)
            read_word(in, per_json, "per", FIELDS("task", "host", "job"));
        return;
    }
    enum per per = read_per(in, per_json, has_use(s, resource, SHARED_AMOUNT));
    if (resource == SLOTS || !is_amount(amount))
        return;
    struct want *want = want_for(primary, resource);
    /* A sum that is out of range for one task is so for all; stopping there keeps it in 64 bits. */
    if (want->per_task + want->per_unit > AMOUNT_LARGEST - amount)
        refuse(in, AMOUNT_RANGE);
    else
        *(per == PER_TASK ? &want->per_task : &want->per_unit) += amount;
}

static void drop_zero_wants(const struct scheduler *s, struct primary *primary)
{
    size_t kept = 0;
    for (size_t i = 0; i < primary->want_count; i++)
        if (primary->wants[i].per_task || primary->wants[i].per_unit)
            primary->wants[kept++] = primary->wants[i];
    primary->want_count = kept;
    while (kept && has_use(s, (int32_t)primary->wants[kept - 1].resource, SHARED_AMOUNT))
        kept--;
    primary->host_want_count = kept;
}

static void read_rusage(struct reading *in, json_t *json, struct primary *primary)
{
    struct scheduler *s = in->scheduler;
    size_t most = s->use_count[HOST_AMOUNT] + s->use_count[SHARED_AMOUNT];
    if (json)
        expect_array(in, json, "rusage");
    most = json_array_size(json) + 1 < most ? json_array_size(json) + 1 : most;
    primary->wants = arena_take(&s->arena, most, sizeof *primary->wants);
    want_for(primary, SLOTS)->per_task = 1;
    for (size_t i = 0; i < json_array_size(json); i++)
        read_usage(in, json_array_get(json, i), primary);
    drop_zero_wants(s, primary);
}

static void read_primary(struct reading *in, json_t *json, struct primary *primary)
{
    expect_fields(in, json, "a primary", FIELDS("tasks", "select", "rusage", "span"));
    *primary = (struct primary){
        .tasks = read_counts(in, json_object_get(json, "tasks")),
        .span = read_span(in, json_object_get(json, "span")),
        .select = read_select(in, json_object_get(json, "select")),
    };
    read_rusage(in, json_object_get(json, "rusage"), primary);
}

static void read_request(struct reading *in, json_t *json, struct job *job)
{
    struct arena *arena = &in->scheduler->arena;
    expect_array(in, json, "request");
    job->alternative_count = json_array_size(json);
    refuse_if(in, job->alternative_count == 0, EMPTY_COMPOUND);
    job->alternatives =
        arena_take(arena, job->alternative_count, sizeof *job->alternatives);
    for (size_t i = 0; i < job->alternative_count; i++) {
        json_t *parts = json_array_get(json, i);
        struct alternative *alternative = &job->alternatives[i];
        expect_array(in, parts, "an alternative");
        alternative->part_count = json_array_size(parts);
        refuse_if(in, alternative->part_count == 0, EMPTY_COMPOUND);
        alternative->parts =
            arena_take(arena, alternative->part_count, sizeof *alternative->parts);
        for (size_t j = 0; j < alternative->part_count; j++)
            read_primary(in, json_array_get(parts, j), &alternative->parts[j]);
    }
}

static bool equal_counts(struct counts a, struct counts b)
{
    return a.min == b.min && a.max == b.max;
}

/* What an alternative asks for in all; a lone primary without counts takes the job's. */
static struct counts reconcile_alternative(struct reading *in, struct alternative *alternative,
                                           struct counts job)
{
    struct counts sum = {.given = true};
    if (alternative->part_count == 1 && !alternative->parts[0].tasks.given)
        alternative->parts[0].tasks = job;
    for (size_t i = 0; i < alternative->part_count; i++) {
        refuse_if(in, !alternative->parts[i].tasks.given, COUNTS);
        sum.min += alternative->parts[i].tasks.min;
        sum.max += alternative->parts[i].tasks.max;
    }
    return sum;
}

/* INGEST-1. Without counts of the job, the first alternative says what the others agree with. */
static void reconcile_counts(struct reading *in, struct job *job, struct counts counts)
{
    for (size_t i = 0; i < job->alternative_count; i++) {
        struct counts sum = reconcile_alternative(in, &job->alternatives[i], counts);
        struct counts expected = counts.given || i > 0 ? counts : sum;
        refuse_if(in, !equal_counts(expected, sum), COUNTS);
        if (!counts.given)
            counts.min = sum.min, counts.max = sum.max;
    }
}

/* AMOUNT-2, which makes every product of the search fit. */
static void check_amounts(struct reading *in, const struct primary *primary)
{
    for (size_t i = 1; i < primary->want_count && primary->tasks.given; i++) {
        const struct want *want = &primary->wants[i];
        int64_t most = AMOUNT_LARGEST / primary->tasks.max;
        refuse_if(in, want->per_task + want->per_unit > most, AMOUNT_RANGE);
    }
}

/*
 * The key as the seeds lay it out: integers of four bytes before one of eight. By content, field
 * by field, is what CACHE-1 asks; the fault compares the raw memory with what happens to lie in
 * the gap, for which a counter stands here so that the fault shows in every run (E3).
 */
struct key {
    int32_t tasks_min, tasks_max, select;
    int64_t rusage;
    int32_t span[4];
    int32_t identity;
};

static int32_t add_key(struct scheduler *s, const struct key *key)
{
    const int64_t fields[] = {
        key->tasks_min, key->tasks_max, key->select, key->rusage, key->span[0], key->span[1],
        key->span[2], key->span[3], key->identity
    };
    if (!fault.key_padding)
        return table_add(&s->keys, fields, sizeof fields);
    unsigned char raw[sizeof *key] = {0};
    size_t gap = offsetof(struct key, select) + sizeof key->select;
    size_t behind = offsetof(struct key, rusage);
    _Static_assert(offsetof(struct key, rusage) ==
                   offsetof(struct key, select) + sizeof key->select + sizeof s->padding,
                   "the fault needs a gap of four bytes");
    memcpy(raw, key, gap);
    memcpy(raw + gap, &s->padding, sizeof s->padding);
    memcpy(raw + behind, &key->rusage, offsetof(struct key, identity) - behind);
    memcpy(raw + offsetof(struct key, identity), &key->identity, sizeof key->identity);
    s->padding++;
    return table_add(&s->keys, raw, sizeof raw);
}

/* Once, at submission. The want for slots is left out: the counts say the same. */
static int32_t key_of(struct scheduler *s, const struct primary *primary, int32_t identity)
{
    const struct span *span = &primary->span;
    struct key key = {
        .tasks_min = (int32_t)primary->tasks.min,
        .tasks_max = (int32_t)primary->tasks.max,
        .select = primary->select,
        .rusage = table_add(&s->rusages, primary->wants + 1,
                            (primary->want_count - 1) * sizeof *primary->wants),
        .span = {span->hosts_min, span->hosts_max, span->tasks_per_host, span->ptile},
        .identity = identity,
    };
    int32_t number = add_key(s, &key);
    if ((size_t)number >= s->key_room) {
        size_t known = s->key_room;
        RESERVE(s->key_states, s->key_room, (size_t)number + 1);
        memset(s->key_states + known, 0, (s->key_room - known) * sizeof *s->key_states);
    }
    return number;
}

static int32_t read_identity(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    struct identity identity = {.version = 0};
    for (int kind = 0; kind < HOLDER_KINDS; kind++) {
        const char *word = holder_kind_words[kind];
        struct slice name = read_text(in, json_object_get(json, word), word);
        refuse_if(in, name.size == 0, IDENTITY_MISSING);
        identity.names[kind] = table_add(&s->names, name.data, name.size);
    }
    size_t known = s->identity_names.count;
    int32_t number = table_add(&s->identity_names, identity.names, sizeof identity.names);
    RESERVE(s->identities, s->identity_room, (size_t)number + 1);
    if ((size_t)number == known)
        s->identities[number] = identity;
    return number;
}

static void accept_job(struct scheduler *s, struct job *job, struct slice name)
{
    job->name = table_add(&s->job_names, name.data, name.size);
    RESERVE(s->jobs, s->job_room, (size_t)job->name + 1);
    s->jobs[job->name] = job;
    RESERVE(s->queue, s->queue_room, s->queue_count + 1);
    s->queue[s->queue_count++] = job;
}

static void submit(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    struct job *job = arena_take(&s->arena, 1, sizeof *job);
    *job = (struct job){.state = PENDING};
    expect_fields(in, json, "job", FIELDS("name", "user", "queue", "project", "priority", "tasks",
                                          "request"));
    struct slice name = read_text(in, json_object_get(json, "name"), "name");
    refuse_if(in, table_find(&s->job_names, name.data, name.size) != NONE, DUPLICATE_NAME);
    job->identity = read_identity(in, json);
    json_t *priority = json_object_get(json, "priority");
    job->priority = priority ? read_integer(in, priority, "priority") : 0;
    struct counts counts = read_counts(in, json_object_get(json, "tasks"));
    read_request(in, json_object_get(json, "request"), job);
    reconcile_counts(in, job, counts);
    for (size_t i = 0; i < job->alternative_count; i++)
        for (size_t j = 0; j < job->alternatives[i].part_count; j++)
            check_amounts(in, &job->alternatives[i].parts[j]);
    if (!may_apply(in))
        return;
    for (size_t i = 0; i < job->alternative_count; i++)
        for (size_t j = 0; j < job->alternatives[i].part_count; j++) {
            struct primary *part = &job->alternatives[i].parts[j];
            part->key = key_of(s, part, job->identity);
        }
    accept_job(s, job, name);
}

/* ---------------------------------------------------------------- ledger */

static struct limit_row *add_row(struct scheduler *s, int32_t limit, int32_t holder,
                                 int32_t *number)
{
    const int32_t name[] = {limit, holder};
    size_t known = s->row_names.count;
    *number = table_add(&s->row_names, name, sizeof name);
    RESERVE(s->rows, s->row_room, (size_t)*number + 1);
    struct limit_row *row = &s->rows[*number];
    if ((size_t)*number != known)
        return row;
    const struct limit *rule = &s->current.limits[limit];
    size_t hosts = rule->per_host ? s->current.host_count : 1;
    *row = (struct limit_row){.limit = limit, .holder = holder};
    for (int ledger = 0; ledger < LEDGERS; ledger++) {
        row->left[ledger] = arena_take(&s->derived, hosts, sizeof **row->left);
        for (size_t i = 0; i < hosts; i++)
            row->left[ledger][i] = rule->cap;
    }
    return row;
}

/* The rows of all limits that apply to an identity, named ones and `each` alike (LIMIT-1). */
static const struct identity *rows_of(struct scheduler *s, int32_t number)
{
    struct identity *identity = &s->identities[number];
    if (identity->version == s->version)
        return identity;
    identity->version = s->version;
    identity->row_count = 0;
    identity->rows = arena_take(&s->derived, s->current.limit_count, sizeof *identity->rows);
    for (size_t i = 0; i < s->current.limit_count; i++) {
        const struct limit *limit = &s->current.limits[i];
        int32_t holder = identity->names[limit->kind];
        if (limit->name == NONE || limit->name == holder)
            add_row(s, (int32_t)i, holder, &identity->rows[identity->row_count++]);
    }
    return identity;
}

static struct demand *add_demand(struct search *search, const struct want *want)
{
    RESERVE(search->demands, search->room, search->demand_count + 1);
    struct demand *demand = &search->demands[search->demand_count++];
    *demand = (struct demand){.per_task = want->per_task, .per_unit = want->per_unit};
    return demand;
}

static void demand_resource(struct scheduler *s, struct search *search, const struct want *want,
                            enum ledger ledger)
{
    const struct resource *resource = &s->resources[want->resource];
    struct demand *demand = add_demand(search, want);
    if (resource->use == SHARED_AMOUNT) {
        demand->left = &s->pool_left[ledger][resource->index];
        return;
    }
    demand->left = s->left[ledger][resource->index];
    demand->stride = 1;
    if (fault.float_ledger && ledger == PRESENT && want->resource != SLOTS) {
        demand->float_used = s->float_used[resource->index];
        demand->capacity = s->current.capacity[resource->index];
    }
}

/* A limit asks for what it counts, by the same want as the account that it caps (LIMIT-2). */
static void demand_limits(struct scheduler *s, struct search *search, const struct want *want,
                          enum ledger ledger, int32_t identity)
{
    const struct identity *holder = rows_of(s, identity);
    for (size_t i = 0; i < holder->row_count; i++) {
        const struct limit_row *row = &s->rows[holder->rows[i]];
        const struct limit *limit = &s->current.limits[row->limit];
        if (limit->resource != want->resource)
            continue;
        struct demand *demand = add_demand(search, want);
        demand->left = row->left[ledger];
        demand->stride = limit->per_host ? 1 : 0;
        demand->limit = true;
    }
}

static void demand_range(struct scheduler *s, struct search *search, size_t from, size_t to,
                         enum ledger ledger, int32_t identity)
{
    const struct want *wants = search->primary->wants;
    for (size_t i = from; i < to; i++)
        demand_resource(s, search, &wants[i], ledger);
    for (size_t i = from; i < to && identity != NONE; i++)
        demand_limits(s, search, &wants[i], ledger, identity);
}

/* Binds a primary to the rows of one ledger; without an identity all limits are lifted. */
static void prepare_search(struct scheduler *s, struct search *search,
                           const struct primary *primary, enum ledger ledger, int32_t identity)
{
    search->primary = primary;
    search->demand_count = 0;
    search->shared_held = false;
    search->passes = NULL;
    search->open = ledger == PRESENT ? s->current.open : NULL;
    if (primary->select != NONE)
        search->passes = select_hosts(s, primary->select)->passes;
    demand_range(s, search, 0, primary->host_want_count, ledger, identity);
    search->host_demand_count = search->demand_count;
    demand_range(s, search, primary->host_want_count, primary->want_count, ledger, identity);
}

static int64_t want_of(const struct demand *demand, int64_t tasks)
{
    return tasks * demand->per_task + demand->per_unit;
}

/* The fault: whole units in floating numbers, reversed by subtraction (E2). */
static void debit_float(const struct demand *demand, size_t host, int64_t want)
{
    if (demand->float_used)
        demand->float_used[host] += (double)want / 1000.0;
}

/* Debits a bucket on a host, or with direction -1 reverses that. */
static void debit_bucket(struct scheduler *s, const struct search *search, int32_t host,
                         int32_t slots, int direction)
{
    for (size_t i = 0; i < search->host_demand_count; i++) {
        const struct demand *demand = &search->demands[i];
        int64_t *left = &demand->left[(size_t)host * demand->stride];
        int64_t want = direction * want_of(demand, slots);
        s->beyond_integers |= __builtin_sub_overflow(*left, want, left);
        debit_float(demand, (size_t)host, want);
    }
}

static void debit_shared(struct scheduler *s, const struct search *search, int direction)
{
    for (size_t i = search->host_demand_count; i < search->demand_count; i++) {
        const struct demand *demand = &search->demands[i];
        int64_t want = direction * want_of(demand, search->primary->tasks.max);
        s->beyond_integers |= __builtin_sub_overflow(*demand->left, want, demand->left);
    }
}

/* All that a live job holds: debited when limits are counted anew, credited at its end. */
static void debit_job(struct scheduler *s, const struct job *job, int direction)
{
    struct search *search = &s->question.searches[0];
    const struct alternative *won = &job->alternatives[job->won];
    size_t claim = 0;
    for (size_t part = 0; part < won->part_count; part++) {
        prepare_search(s, search, &won->parts[part], PRESENT, job->identity);
        debit_shared(s, search, direction);
        for (; claim < job->claim_count && job->claims[claim].part == (int32_t)part; claim++)
            debit_bucket(s, search, job->claims[claim].host, job->claims[claim].slots, direction);
    }
    assert(claim == job->claim_count);
}

static void fill_ledger(struct scheduler *s, enum ledger ledger)
{
    size_t amounts = s->use_count[HOST_AMOUNT], pools = s->use_count[SHARED_AMOUNT];
    size_t hosts = s->current.host_count;
    s->left[ledger] = arena_take(&s->derived, amounts, sizeof *s->left[ledger]);
    for (size_t i = 0; i < amounts; i++) {
        s->left[ledger][i] = arena_take(&s->derived, hosts, sizeof **s->left[ledger]);
        memcpy(s->left[ledger][i], s->current.capacity[i], hosts * sizeof **s->left[ledger]);
    }
    s->pool_left[ledger] = arena_take(&s->derived, pools, sizeof *s->pool_left[ledger]);
    memcpy(s->pool_left[ledger], s->current.pools, pools * sizeof *s->pool_left[ledger]);
}

static void fill_float_ledger(struct scheduler *s)
{
    size_t amounts = s->use_count[HOST_AMOUNT], hosts = s->current.host_count;
    s->float_used = arena_take(&s->derived, amounts, sizeof *s->float_used);
    for (size_t i = 0; i < amounts; i++) {
        s->float_used[i] = arena_take(&s->derived, hosts, sizeof **s->float_used);
        for (size_t host = 0; host < hosts; host++)
            s->float_used[i][host] = 0.0;
    }
}

/* Makes the waiting configuration the present one, and counts the live jobs anew (SESSION-3). */
static void take_configuration(struct scheduler *s)
{
    copy_configuration(s, &s->current, &s->waiting);
    s->change_waits = false;
    s->version++;
    arena_reset(&s->derived);
    table_empty(&s->row_names);
    fill_ledger(s, PRESENT);
    fill_ledger(s, EMPTY);
    if (fault.float_ledger)
        fill_float_ledger(s);
    s->claimed_in = arena_take(&s->derived, s->current.host_count, sizeof *s->claimed_in);
    for (size_t host = 0; host < s->current.host_count; host++)
        s->claimed_in[host] = 0;
    for (size_t i = 0; i < s->live_count; i++)
        debit_job(s, s->live[i], 1);
}

/* ---------------------------------------------------------------- events of an attempt */

/* Opens an event; NULL if events are not reported. */
static struct text *open_event(const struct attempt *attempt, const char *event)
{
    if (!attempt->events)
        return NULL;
    put_separator(attempt->events);
    put_words(attempt->events, "[\"");
    put_words(attempt->events, event);
    put_words(attempt->events, "\"");
    return attempt->events;
}

/* An event with a host, and its slots unless they are NONE. */
static void report_host(const struct attempt *attempt, const char *event, int32_t host,
                        int32_t slots)
{
    struct text *out = open_event(attempt, event);
    if (!out)
        return;
    put_words(out, ",");
    put_quoted(out, table_text(&attempt->scheduler->host_names, host));
    if (slots != NONE) {
        put_words(out, ",");
        put_integer(out, slots);
    }
    put_words(out, "]");
}

static void report_reason(const struct attempt *attempt, const char *event,
                          enum category category)
{
    struct text *out = open_event(attempt, event);
    if (!out)
        return;
    put_words(out, ",\"");
    put_words(out, category_words[category]);
    put_words(out, "\"]");
}

static void report_primary(const struct attempt *attempt, size_t alternative, size_t part)
{
    struct text *out = open_event(attempt, "primary");
    if (!out)
        return;
    put_words(out, ",");
    put_integer(out, (int64_t)alternative);
    put_words(out, ",");
    put_integer(out, (int64_t)part);
    put_words(out, "]");
}

/* ---------------------------------------------------------------- plan iterator */

/* Handed out by value, so that a plan never changes; bucket sizes descend (PLAN-3, PLAN-4). */
struct plan {
    int32_t bucket_count;
    int32_t large_count; /* the first so many buckets have `large` tasks, the others `small` */
    int32_t large, small;
};

struct plan_iterator {
    const struct primary *primary;
    struct attempt *attempt;
    int32_t bucket_count, last;
};

static int32_t divide_up(int32_t a, int32_t b)
{
    return a / b + (a % b != 0);
}

/* The numbers of hosts that the span admits, from first to last; none if first is greater. */
static void plan_bounds(const struct primary *primary, int32_t *first, int32_t *last)
{
    const struct span *span = &primary->span;
    int32_t tasks = (int32_t)primary->tasks.max;
    if (span->ptile) {
        int32_t largest = span->ptile < tasks ? span->ptile : tasks;
        int32_t hosts = divide_up(tasks, span->ptile);
        bool admitted = hosts >= span->hosts_min && hosts <= span->hosts_max &&
                        largest <= span->tasks_per_host;
        *first = hosts;
        *last = admitted ? hosts : 0;
        return;
    }
    /* The largest bucket of k is N / k rounded up: at most the bound from this k on. */
    int32_t enough = divide_up(tasks, span->tasks_per_host);
    *first = span->hosts_min > enough ? span->hosts_min : enough;
    *last = span->hosts_max < tasks ? span->hosts_max : tasks;
}

/* Every call of an iterator is a cancellation point (PLAN-7, HOST-5). */
static bool poll_cancellation(struct attempt *attempt)
{
    if (attempt->polls_left && (*attempt->polls_left)-- == 0)
        attempt->cancelled = true;
    return attempt->cancelled;
}

static void plan_iterator_init(struct plan_iterator *plans, struct attempt *attempt,
                               const struct primary *primary)
{
    *plans = (struct plan_iterator){.primary = primary, .attempt = attempt};
    plan_bounds(primary, &plans->bucket_count, &plans->last);
}

static bool plan_iterator_next(struct plan_iterator *plans, struct plan *plan)
{
    if (poll_cancellation(plans->attempt) || plans->bucket_count > plans->last)
        return false;
    int32_t tasks = (int32_t)plans->primary->tasks.max, ptile = plans->primary->span.ptile;
    int32_t hosts = plans->bucket_count++;
    if (ptile)
        *plan = (struct plan){
            .bucket_count = hosts, .large_count = tasks / ptile, .large = ptile,
            .small = tasks % ptile
        };
    else
        *plan = (struct plan){
            .bucket_count = hosts, .large_count = tasks % hosts, .large = tasks / hosts + 1,
            .small = tasks / hosts
        };
    return true;
}

/* The iterator holds nothing that needs giving back; what it is asked after this is "no more". */
static void plan_iterator_fini(struct plan_iterator *plans)
{
    plans->last = 0;
}

static int32_t bucket_size(const struct plan *plan, int32_t bucket)
{
    return bucket < plan->large_count ? plan->large : plan->small;
}

static void report_plan(const struct attempt *attempt, const struct plan *plan)
{
    struct text *out = open_event(attempt, "plan");
    if (!out)
        return;
    put_words(out, ",[");
    for (int32_t bucket = 0; bucket < plan->bucket_count; bucket++) {
        put_separator(out);
        put_integer(out, bucket_size(plan, bucket));
    }
    put_words(out, "]]");
}

/* ---------------------------------------------------------------- host iterator */

/* One search for one bucket: a cursor that goes forward over the hosts in cluster order. */
struct host_iterator {
    struct attempt *attempt;
    struct search *search;
    size_t cursor, host_count;
};

static void host_iterator_init(struct host_iterator *hosts, struct attempt *attempt,
                               struct search *search)
{
    *hosts = (struct host_iterator){
        .attempt = attempt, .search = search,
        .host_count = attempt->scheduler->current.host_count
    };
}

/* The iterator knows for which bucket it searches (E13). */
static void host_iterator_aim(struct host_iterator *hosts, int32_t slots)
{
    struct search *search = hosts->search;
    for (size_t i = 0; i < search->host_demand_count; i++)
        search->demands[i].want = want_of(&search->demands[i], slots);
}

static bool has_room(const struct demand *demand, size_t host)
{
    if (demand->float_used)
        return demand->float_used[host] + (double)demand->want / 1000.0 <=
               (double)demand->capacity[host] / 1000.0;
    return demand->want <= demand->left[host * demand->stride];
}

static bool is_candidate(const struct search *search, size_t host)
{
    for (size_t i = 0; i < search->host_demand_count; i++)
        if (!has_room(&search->demands[i], host))
            return false;
    return (!search->open || search->open[host]) && (!search->passes || search->passes[host]);
}

/* The next open host that passes the select and has room for the bucket (HOST-1), or NONE. */
static int32_t host_iterator_next(struct host_iterator *hosts)
{
    if (poll_cancellation(hosts->attempt))
        return NONE;
    /* Slots are wanted always and are what a busy cluster lacks first, so they are asked first. */
    const int64_t *slots_left = hosts->search->demands[SLOTS].left;
    const int64_t slots = hosts->search->demands[SLOTS].want;
    for (; hosts->cursor < hosts->host_count; hosts->cursor++)
        if (slots <= slots_left[hosts->cursor] && is_candidate(hosts->search, hosts->cursor))
            return (int32_t)hosts->cursor++;
    return NONE;
}

static void host_iterator_fini(struct host_iterator *hosts)
{
    hosts->cursor = hosts->host_count;
}

/* ---------------------------------------------------------------- one primary */

static struct search *search_for(struct attempt *attempt, size_t part)
{
    size_t known = attempt->search_room;
    RESERVE(attempt->searches, attempt->search_room, part + 1);
    if (attempt->search_room != known)
        memset(attempt->searches + known, 0,
               (attempt->search_room - known) * sizeof *attempt->searches);
    return &attempt->searches[part];
}

static void take_claim(struct attempt *attempt, size_t part, int32_t host, int32_t slots)
{
    RESERVE(attempt->claims, attempt->claim_room, attempt->claim_count + 1);
    struct claim *claim = &attempt->claims[attempt->claim_count++];
    *claim = (struct claim){.part = (int32_t)part, .host = host, .slots = slots, .held = true};
    debit_bucket(attempt->scheduler, &attempt->searches[part], host, slots, 1);
    report_host(attempt, "claimed", host, slots);
}

static void reverse_claim(struct attempt *attempt, struct claim *claim)
{
    if (!claim->held)
        return;
    claim->held = false;
    debit_bucket(attempt->scheduler, &attempt->searches[claim->part], claim->host, claim->slots,
                 -1);
    report_host(attempt, "reversed", claim->host, claim->slots);
}

/* Takes back all claims of the attempt from one position on. */
static void reverse_claims(struct attempt *attempt, size_t from)
{
    for (size_t i = attempt->claim_count; i-- > from;)
        reverse_claim(attempt, &attempt->claims[i]);
    attempt->claim_count = from;
}

static void return_shared(struct attempt *attempt, struct search *search)
{
    if (!search->shared_held)
        return;
    search->shared_held = false;
    debit_shared(attempt->scheduler, search, -1);
}

static bool pools_have_room(const struct search *search)
{
    for (size_t i = search->host_demand_count; i < search->demand_count; i++) {
        const struct demand *demand = &search->demands[i];
        if (!demand->limit && want_of(demand, search->primary->tasks.max) > *demand->left)
            return false;
    }
    return true;
}

/* Once for the primary, whatever the plan (SHARED-1). */
static bool take_shared(struct attempt *attempt, struct search *search)
{
    for (size_t i = search->host_demand_count; i < search->demand_count; i++) {
        const struct demand *demand = &search->demands[i];
        if (want_of(demand, search->primary->tasks.max) > *demand->left)
            return false;
    }
    debit_shared(attempt->scheduler, search, 1);
    search->shared_held = true;
    return true;
}

/* The first candidate that this plan has not claimed. The caller passes over those (HOST-7). */
static int32_t find_host(struct attempt *attempt, struct host_iterator *hosts)
{
    const struct scheduler *s = attempt->scheduler;
    int32_t host;
    while ((host = host_iterator_next(hosts)) != NONE) {
        report_host(attempt, "offered", host, NONE);
        if (s->claimed_in[host] != s->plan_number)
            return host;
        report_host(attempt, "refused", host, NONE);
    }
    return NONE;
}

/* Every bucket finds a host of its own, or the plan leaves the ledger as it was (PAR-1, UNDO-1). */
static bool try_plan(struct attempt *attempt, size_t part, const struct plan *plan)
{
    struct scheduler *s = attempt->scheduler;
    struct host_iterator hosts;
    size_t first_claim = attempt->claim_count;
    s->plan_number++;
    for (int32_t bucket = 0; bucket < plan->bucket_count; bucket++) {
        int32_t slots = bucket_size(plan, bucket);
        if (bucket == 0 || !fault.shared_cursor)
            host_iterator_init(&hosts, attempt, &attempt->searches[part]);
        host_iterator_aim(&hosts, slots);
        int32_t host = find_host(attempt, &hosts);
        if (!fault.shared_cursor)
            host_iterator_fini(&hosts);
        if (host == NONE) {
            reverse_claims(attempt, first_claim);
            return false;
        }
        s->claimed_in[host] = s->plan_number;
        take_claim(attempt, part, host, slots);
    }
    return true;
}

/* The search of one primary. It takes its first plan that holds, or nothing (PAR-1, PAR-2). */
static bool place_primary(struct attempt *attempt, size_t part)
{
    struct search *search = &attempt->searches[part];
    struct plan_iterator plans;
    struct plan plan;
    bool placed = false;
    if (!take_shared(attempt, search))
        return false;
    plan_iterator_init(&plans, attempt, search->primary);
    while (!placed && !attempt->cancelled && plan_iterator_next(&plans, &plan)) {
        /* The one departure from the seeds, which PAR-2 allows: no later plan can hold. */
        if ((size_t)plan.bucket_count > attempt->scheduler->current.host_count)
            break;
        report_plan(attempt, &plan);
        placed = try_plan(attempt, part, &plan);
    }
    plan_iterator_fini(&plans);
    if (!placed)
        return_shared(attempt, search);
    return placed;
}

/* ---------------------------------------------------------------- why a primary failed */

/* Whether one primary would be placed, leaving no trace; without an identity limits are lifted. */
static bool would_be_placed(struct scheduler *s, const struct primary *primary,
                            enum ledger ledger, int32_t identity)
{
    struct attempt *question = &s->question;
    prepare_search(s, &question->searches[0], primary, ledger, identity);
    bool placed = place_primary(question, 0);
    reverse_claims(question, 0);
    return_shared(question, &question->searches[0]);
    return placed;
}

static bool has_limits(const struct search *search)
{
    for (size_t i = 0; i < search->demand_count; i++)
        if (search->demands[i].limit)
            return true;
    return false;
}

/* The first that holds, in the ledger in which the primary failed (WHY-1). */
static enum category category_of(struct scheduler *s, const struct search *search)
{
    const struct primary *primary = search->primary;
    int32_t first, last;
    plan_bounds(primary, &first, &last);
    if (first > last)
        return SPAN;
    size_t passing = s->current.host_count;
    if (primary->select != NONE)
        passing = select_hosts(s, primary->select)->pass_count;
    if (passing == 0)
        return SELECT;
    if (!pools_have_room(search))
        return SHARED;
    /* Lifting limits that ask for nothing changes nothing. */
    if (has_limits(search) && would_be_placed(s, primary, PRESENT, NONE))
        return LIMIT;
    return CAPACITY;
}

/* It depends on the key and the configuration alone, so it is asked once for the two. */
static bool never_placeable(struct scheduler *s, const struct primary *primary, int32_t identity)
{
    struct key_state *key = &s->key_states[primary->key];
    if (key->version_asked != s->version) {
        key->never = !would_be_placed(s, primary, EMPTY, identity);
        key->version_asked = s->version;
    }
    return key->never;
}

/* A compound never if one of its parts by itself, an alter if all its alternatives (WHY-2). */
static bool job_never_placeable(struct scheduler *s, const struct job *job)
{
    for (size_t i = 0; i < job->alternative_count; i++) {
        const struct alternative *alternative = &job->alternatives[i];
        size_t part = 0;
        while (part < alternative->part_count &&
               !never_placeable(s, &alternative->parts[part], job->identity))
            part++;
        if (part == alternative->part_count)
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- cache and job */

/* The one place where the cache is emptied: entries of another session do not count (CACHE-2). */
static void begin_cache_session(struct scheduler *s)
{
    s->session++;
}

struct failure {
    enum category category;
    bool cached;
};

static bool try_primary(struct attempt *attempt, const struct job *job, size_t alternative,
                        size_t part, struct failure *failure)
{
    struct scheduler *s = attempt->scheduler;
    const struct primary *primary = &job->alternatives[alternative].parts[part];
    struct key_state *key = &s->key_states[primary->key];
    report_primary(attempt, alternative, part);
    if (key->session_filled == s->session) {
        *failure = (struct failure){.category = key->category, .cached = true};
        report_reason(attempt, "hit", key->category);
        return false;
    }
    struct search *search = search_for(attempt, part);
    prepare_search(s, search, primary, PRESENT, job->identity);
    if (place_primary(attempt, part))
        return true;
    if (attempt->cancelled)
        return false;
    *failure = (struct failure){.category = category_of(s, search)};
    /* Only without debits before it does the failure say something about the books (E1). */
    if (part == 0 || fault.literal_cache) {
        key->session_filled = s->session;
        key->category = failure->category;
        report_reason(attempt, "filled", failure->category);
    }
    return false;
}

/* All parts or none: a part that fails takes those before it back (COMPOUND-1, COMPOUND-3). */
static bool try_alternative(struct attempt *attempt, const struct job *job, size_t alternative,
                            struct failure *failure)
{
    size_t count = job->alternatives[alternative].part_count, part = 0;
    while (part < count && try_primary(attempt, job, alternative, part, failure))
        part++;
    if (part == count)
        return true;
    reverse_claims(attempt, 0);
    while (part-- > 0)
        return_shared(attempt, &attempt->searches[part]);
    return false;
}

/* The first alternative that is fully placed, or NONE (ALTER-1). */
static int32_t try_alternatives(struct attempt *attempt, const struct job *job,
                                struct failure *failure)
{
    for (size_t i = 0; i < job->alternative_count; i++) {
        if (try_alternative(attempt, job, i, failure))
            return (int32_t)i;
        if (attempt->cancelled || (fault.literal_cache && failure->cached))
            break;
    }
    return NONE;
}

/* The debits are in the ledger already; to commit is to keep them. */
static void commit(struct attempt *attempt, struct job *job, int32_t alternative)
{
    struct scheduler *s = attempt->scheduler;
    job->state = LIVE;
    job->won = (size_t)alternative;
    job->claim_count = attempt->claim_count;
    job->claims = resize(NULL, attempt->claim_count, sizeof *job->claims);
    memcpy(job->claims, attempt->claims, attempt->claim_count * sizeof *job->claims);
    RESERVE(s->live, s->live_room, s->live_count + 1);
    s->live[s->live_count++] = job;
    struct text *out = open_event(attempt, "committed");
    if (out)
        put_words(out, "]");
}

/* ---------------------------------------------------------------- sessions */

static struct job *find_job(struct reading *in, const json_t *json)
{
    struct scheduler *s = in->scheduler;
    struct slice name = read_text(in, json, "job");
    int32_t number = table_find(&s->job_names, name.data, name.size);
    refuse_if(in, number == NONE, UNKNOWN_NAME);
    return number == NONE ? NULL : s->jobs[number];
}

static void finish(struct reading *in, const json_t *name)
{
    struct job *job = find_job(in, name);
    refuse_if(in, job && (job->state != LIVE || job->finish_waits), NOT_RUNNING);
    if (may_apply(in))
        job->finish_waits = true;
}

/* The queue forgets the job at its next run. */
static void withdraw(struct reading *in, const json_t *name)
{
    struct job *job = find_job(in, name);
    refuse_if(in, job && job->state != PENDING, NOT_PENDING);
    if (may_apply(in))
        job->state = WITHDRAWN;
}

static void credit_finished(struct scheduler *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->live_count; i++) {
        struct job *job = s->live[i];
        if (!job->finish_waits) {
            s->live[kept++] = job;
            continue;
        }
        debit_job(s, job, -1);
        job->state = FINISHED;
        free(job->claims);
        job->claims = NULL;
        job->claim_count = 0;
    }
    s->live_count = kept;
}

static void begin_session(struct reading *in)
{
    struct scheduler *s = in->scheduler;
    credit_finished(s);
    if (s->change_waits)
        take_configuration(s);
    if (s->beyond_integers)
        complain(in, "a limit", " would count more than 64 bits hold");
    begin_cache_session(s);
}

/* Higher priority first, then submission order, which is the order of names (SESSION-1). */
static int compare_jobs(const void *a, const void *b)
{
    const struct job *left = *(struct job *const *)a, *right = *(struct job *const *)b;
    if (left->priority != right->priority)
        return left->priority > right->priority ? -1 : 1;
    return (left->name > right->name) - (left->name < right->name);
}

static void put_parts(const struct scheduler *s, const struct job *job, struct text *out)
{
    size_t claim = 0;
    put_words(out, "[");
    for (size_t part = 0; part < job->alternatives[job->won].part_count; part++) {
        put_separator(out);
        put_words(out, "[");
        for (; claim < job->claim_count && job->claims[claim].part == (int32_t)part; claim++) {
            put_separator(out);
            put_words(out, "[");
            put_quoted(out, table_text(&s->host_names, job->claims[claim].host));
            put_words(out, ",");
            put_integer(out, job->claims[claim].slots);
            put_words(out, "]");
        }
        put_words(out, "]");
    }
    put_words(out, "]");
}

static void put_pending(struct scheduler *s, const struct job *job, struct failure failure,
                        struct text *out)
{
    put_words(out, ",\"answer\":\"pending\",\"reason\":\"");
    put_words(out, category_words[failure.category]);
    put_words(out, job_never_placeable(s, job) ? "\",\"never\":true" : "\",\"never\":false");
    put_words(out, failure.cached ? ",\"cached\":true" : ",\"cached\":false");
}

static void try_job(struct scheduler *s, struct job *job, int64_t *polls_left, bool events,
                    struct text *out)
{
    struct attempt *attempt = &s->attempt;
    struct failure failure = {.category = CAPACITY};
    attempt->claim_count = 0;
    attempt->cancelled = false;
    attempt->polls_left = polls_left;
    attempt->events = events ? out : NULL;
    job->session_tried = s->session;
    put_separator(out);
    put_words(out, "{\"job\":");
    put_quoted(out, table_text(&s->job_names, job->name));
    if (events)
        put_words(out, ",\"events\":[");
    int32_t won = try_alternatives(attempt, job, &failure);
    if (won != NONE)
        commit(attempt, job, won);
    if (events)
        put_words(out, "]");
    if (won != NONE) {
        put_words(out, ",\"answer\":\"dispatched\",\"alternative\":");
        put_integer(out, won);
        put_words(out, ",\"parts\":");
        put_parts(s, job, out);
    } else if (attempt->cancelled) {
        put_words(out, ",\"answer\":\"cancelled\"");
    } else {
        put_pending(s, job, failure, out);
    }
    put_words(out, "}");
}

static void sort_queue(struct scheduler *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->queue_count; i++)
        if (s->queue[i]->state == PENDING)
            s->queue[kept++] = s->queue[i];
    s->queue_count = kept;
    if (kept)
        qsort(s->queue, kept, sizeof *s->queue, compare_jobs);
}

static void run_session(struct reading *in, const json_t *cancel_at, bool events, struct text *out)
{
    struct scheduler *s = in->scheduler;
    int64_t polls_left = cancel_at ? read_integer(in, cancel_at, "cancel_at") : 0;
    if (polls_left < 0)
        complain(in, "cancel_at", " is negative");
    if (in->has_problem)
        return;
    put_words(out, "\"answer\":\"ran\",\"jobs\":[");
    sort_queue(s);
    for (size_t i = 0; i < s->queue_count; i++)
        if (s->queue[i]->session_tried != s->session)
            try_job(s, s->queue[i], cancel_at ? &polls_left : NULL, events, out);
    put_words(out, "]");
}

/* ---------------------------------------------------------------- books */

static void put_used(struct text *out, struct slice name, int64_t used)
{
    put_separator(out);
    put_quoted(out, name);
    put_words(out, ":");
    put_integer(out, used);
}

static void put_host_books(const struct scheduler *s, struct text *out)
{
    for (size_t host = 0; host < s->current.host_count; host++) {
        size_t start = out->used, amounts = 0;
        put_separator(out);
        put_quoted(out, table_text(&s->host_names, (int32_t)host));
        put_words(out, ":{");
        for (size_t i = 0; i < s->use_count[HOST_AMOUNT]; i++) {
            int64_t used = s->current.capacity[i][host] - s->left[PRESENT][i][host];
            if (used)
                put_used(out, table_text(&s->resource_names, (int32_t)i), used);
            amounts += used != 0;
        }
        put_words(out, "}");
        out->used = amounts ? out->used : start;
    }
}

static void put_pool_books(const struct scheduler *s, struct text *out)
{
    for (size_t i = 0; i < s->use_count[SHARED_AMOUNT]; i++) {
        int64_t used = s->current.pools[i] - s->pool_left[PRESENT][i];
        int32_t resource = (int32_t)(s->use_count[HOST_AMOUNT] + i);
        if (used)
            put_used(out, table_text(&s->resource_names, resource), used);
    }
}

static void put_limit_books(const struct scheduler *s, const struct limit_row *row, size_t host,
                            struct text *out)
{
    const struct limit *limit = &s->current.limits[row->limit];
    int64_t used;
    if (__builtin_sub_overflow(limit->cap, row->left[PRESENT][host], &used) || used == 0)
        return;
    put_separator(out);
    put_words(out, "{\"kind\":\"");
    put_words(out, holder_kind_words[limit->kind]);
    put_words(out, "\",\"scope\":");
    put_words(out, limit->per_host ? "\"host\",\"resource\":" : "\"cluster\",\"resource\":");
    put_quoted(out, table_text(&s->resource_names, limit->resource));
    put_words(out, limit->name == NONE ? ",\"each\":true,\"holder\":" : ",\"name\":");
    if (limit->name != NONE) {
        put_quoted(out, table_text(&s->names, limit->name));
        put_words(out, ",\"holder\":");
    }
    put_quoted(out, table_text(&s->names, row->holder));
    put_words(out, ",\"host\":");
    if (limit->per_host)
        put_quoted(out, table_text(&s->host_names, (int32_t)host));
    else
        put_words(out, "null");
    put_words(out, ",\"used\":");
    put_integer(out, used);
    put_words(out, "}");
}

static void put_books(const struct scheduler *s, struct text *out)
{
    put_words(out, ",\"books\":{\"hosts\":{");
    put_host_books(s, out);
    put_words(out, "},\"pools\":{");
    put_pool_books(s, out);
    put_words(out, "},\"limits\":[");
    for (size_t i = 0; i < s->row_names.count; i++) {
        const struct limit_row *row = &s->rows[i];
        bool per_host = s->current.limits[row->limit].per_host;
        for (size_t host = 0; host < (per_host ? s->current.host_count : 1); host++)
            put_limit_books(s, row, host, out);
    }
    put_words(out, "]}");
}

/* ---------------------------------------------------------------- a scheduler's life */

static struct scheduler *new_scheduler(void)
{
    struct scheduler *s = resize(NULL, 1, sizeof *s);
    *s = (struct scheduler){.session = 1};
    struct table *lasting[] = {&s->resource_names, &s->host_names, &s->job_names, &s->names,
                               &s->identity_names, &s->select_trees, &s->rusages, &s->keys};
    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        lasting[i]->arena = &s->arena;
    s->row_names.arena = &s->derived;
    s->attempt.scheduler = s->question.scheduler = s;
    search_for(&s->question, 0); /* its only one */
    return s;
}

static void free_attempt(struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->search_room; i++)
        free(attempt->searches[i].demands);
    free(attempt->searches);
    free(attempt->claims);
}

static void free_scheduler(struct scheduler *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->live_count; i++)
        free(s->live[i]->claims);
    struct table *tables[] = {&s->resource_names, &s->host_names, &s->job_names, &s->names,
                              &s->identity_names, &s->select_trees, &s->rusages, &s->keys,
                              &s->row_names};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    void *arrays[] = {s->resources, s->rows, s->identities, s->selects, s->key_states, s->jobs,
                      s->queue, s->live};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free_configuration(s, &s->current);
    free_configuration(s, &s->waiting);
    free_attempt(&s->attempt);
    free_attempt(&s->question);
    arena_free(&s->arena);
    arena_free(&s->derived);
    arena_free(&s->scratch);
    free(s);
}

static void declare(struct reading *in, struct slice name, enum use use)
{
    struct scheduler *s = in->scheduler;
    size_t number = s->resource_names.count;
    if ((size_t)table_add(&s->resource_names, name.data, name.size) != number)
        complain(in, "a resource", " is named twice");
    enum use counted = use == TEXT_ATTRIBUTE ? NUMBER_ATTRIBUTE : use;
    RESERVE(s->resources, s->resource_room, number + 1);
    s->resources[number] = (struct resource){.use = use, .index = s->use_count[counted]++};
}

static void declare_amounts(struct reading *in, json_t *names, enum use use)
{
    if (names)
        expect_array(in, names, "resources");
    for (size_t i = 0; i < json_array_size(names); i++)
        declare(in, read_text(in, json_array_get(names, i), "a resource"), use);
}

static void declare_resources(struct reading *in, json_t *json)
{
    const char *name;
    json_t *type;
    declare(in, (struct slice){"slots", 5}, HOST_AMOUNT);
    if (json)
        expect_fields(in, json, "resources", FIELDS("host", "shared", "attributes"));
    declare_amounts(in, json_object_get(json, "host"), HOST_AMOUNT);
    declare_amounts(in, json_object_get(json, "shared"), SHARED_AMOUNT);
    json_t *attributes = json_object_get(json, "attributes");
    if (attributes && !json_is_object(attributes))
        complain(in, "attributes", " is not an object");
    json_object_foreach(attributes, name, type) {
        bool text = read_word(in, type, name, FIELDS("number", "text")) == 1;
        declare(in, (struct slice){name, strlen(name)}, text ? TEXT_ATTRIBUTE : NUMBER_ATTRIBUTE);
    }
}

static void read_cluster(struct reading *in, json_t *json)
{
    struct scheduler *s = in->scheduler;
    const char *name;
    json_t *capacity;
    expect_fields(in, json, "cluster", FIELDS("resources", "hosts", "pools", "limits"));
    declare_resources(in, json_object_get(json, "resources"));
    prepare_configuration(s, &s->current);
    prepare_configuration(s, &s->waiting);
    json_t *hosts = json_object_get(json, "hosts"), *limits = json_object_get(json, "limits");
    json_t *pools = json_object_get(json, "pools");
    expect_array(in, hosts, "hosts");
    for (size_t i = 0; i < json_array_size(hosts); i++)
        add_host(in, json_array_get(hosts, i));
    if (pools && !json_is_object(pools))
        complain(in, "pools", " is not an object");
    json_object_foreach(pools, name, capacity)
        change_pool(in, (struct slice){name, strlen(name)}, capacity);
    if (limits)
        expect_array(in, limits, "limits");
    for (size_t i = 0; i < json_array_size(limits); i++)
        set_limit(in, json_array_get(limits, i), true);
    if (in->code != ACCEPTED)
        complain(in, "the cluster breaks the rule ", code_words[in->code]);
    if (!in->has_problem)
        take_configuration(s);
}

/* ---------------------------------------------------------------- cases */

struct report {
    bool books, events;
};

struct event_kind {
    const char *name;
    const char *fields[6]; /* ends with NULL */
};

enum event {
    BEGIN_SESSION, SUBMIT, RUN_SESSION, FINISH, WITHDRAW, HOST_ADD, HOST_CHANGE, POOL_CHANGE,
    LIMIT_SET, LIMIT_REMOVE, EVENTS
};

static const struct event_kind event_kinds[] = {
    [BEGIN_SESSION] = {"begin_session", {"event"}},
    [SUBMIT] = {"submit", {"event", "job"}},
    [RUN_SESSION] = {"run_session", {"event", "cancel_at"}},
    [FINISH] = {"finish", {"event", "job"}},
    [WITHDRAW] = {"withdraw", {"event", "job"}},
    [HOST_ADD] = {"host_add", {"event", "host"}},
    [HOST_CHANGE] = {"host_change", {"event", "host", "capacity", "attributes", "open"}},
    [POOL_CHANGE] = {"pool_change", {"event", "pool", "capacity"}},
    [LIMIT_SET] = {"limit_set", {"event", "limit"}},
    [LIMIT_REMOVE] = {"limit_remove", {"event", "limit"}},
};

static enum event read_event_kind(struct reading *in, json_t *event)
{
    const char *words[EVENTS + 1] = {NULL};
    for (int i = 0; i < EVENTS; i++)
        words[i] = event_kinds[i].name;
    enum event kind = (enum event)read_word(in, json_object_get(event, "event"), "event", words);
    expect_fields(in, event, "an event", event_kinds[kind].fields);
    return kind;
}

static void treat_event(struct reading *in, enum event kind, json_t *event)
{
    switch (kind) {
    case BEGIN_SESSION:
        begin_session(in);
        break;
    case SUBMIT:
        submit(in, json_object_get(event, "job"));
        break;
    case FINISH:
        finish(in, json_object_get(event, "job"));
        break;
    case WITHDRAW:
        withdraw(in, json_object_get(event, "job"));
        break;
    case HOST_ADD:
        add_host(in, json_object_get(event, "host"));
        break;
    case HOST_CHANGE:
        change_host(in, event);
        break;
    case POOL_CHANGE:
        change_pool(in, read_text(in, json_object_get(event, "pool"), "pool"),
                    json_object_get(event, "capacity"));
        break;
    case LIMIT_SET:
        set_limit(in, json_object_get(event, "limit"), false);
        break;
    case LIMIT_REMOVE:
        remove_limit(in, json_object_get(event, "limit"));
        break;
    case RUN_SESSION:
    case EVENTS:
        assert(false);
    }
}

static void answer_event(struct reading *in, json_t *event, struct report report, struct text *out)
{
    in->code = ACCEPTED;
    enum event kind = read_event_kind(in, event);
    if (in->has_problem)
        return;
    put_separator(out);
    put_words(out, "{");
    if (kind == RUN_SESSION) {
        run_session(in, json_object_get(event, "cancel_at"), report.events, out);
    } else {
        treat_event(in, kind, event);
        put_words(out, in->code == ACCEPTED ? "\"answer\":\"ok\""
                                            : "\"answer\":\"refused\",\"code\":\"");
        if (in->code != ACCEPTED) {
            put_words(out, code_words[in->code]);
            put_words(out, "\"");
        }
    }
    if (report.books && !in->has_problem)
        put_books(in->scheduler, out);
    put_words(out, "}");
}

static struct report read_report(struct reading *in, json_t *json)
{
    struct report report = {false, false};
    if (json)
        expect_array(in, json, "report");
    for (size_t i = 0; i < json_array_size(json); i++) {
        int32_t word = read_word(in, json_array_get(json, i), "report", FIELDS("books", "events"));
        report.books |= word == 0;
        report.events |= word == 1;
    }
    return report;
}

/* Writes the answers, or complains and leaves no scheduler behind for a case that would go on. */
static void answer_case(struct reading *in, json_t *json, struct text *out)
{
    in->has_problem = false;
    in->code = ACCEPTED;
    expect_fields(in, json, "case", FIELDS("cluster", "events", "report"));
    json_t *cluster = json_object_get(json, "cluster"), *events = json_object_get(json, "events");
    struct report report = read_report(in, json_object_get(json, "report"));
    expect_array(in, events, "events");
    if (cluster) {
        free_scheduler(in->scheduler);
        in->scheduler = new_scheduler();
        read_cluster(in, cluster);
    } else if (!in->scheduler) {
        complain(in, "a case without cluster", " has no case before it to go on from");
    }
    put_words(out, "[");
    for (size_t i = 0; i < json_array_size(events) && !in->has_problem; i++)
        answer_event(in, json_array_get(events, i), report, out);
    put_words(out, "]");
    if (in->has_problem) {
        free_scheduler(in->scheduler);
        in->scheduler = NULL;
    }
}

/* ---------------------------------------------------------------- protocol */

static const char *const profile =
    "{\"version\":1,\"profile\":{\"name\":\"allotment-sample-c\",\"version\":\"1\",\"features\":["
    "\"compound\",\"alter\",\"select\",\"rusage\",\"span\",\"ptile\",\"shared\",\"limits\","
    "\"priorities\",\"host-changes\",\"cancel\",\"events\",\"books\"],"
    "\"host_order\":\"listed\",\"split\":\"balanced\",\"cache\":\"transparent\","
    "\"rusage_default\":\"task\",\"declares\":[\"reason\",\"never\",\"cached\"],"
    "\"largest\":{\"tasks\":1048576,\"hosts\":1048576,\"amount\":9007199254740991}}}\n";

struct program {
    struct reading reading;
    bool started;
    struct text out;
    struct text input;
    size_t line_start; /* of the input that was not yet treated */
};

static void flush(struct program *program)
{
    size_t written = 0;
    while (written < program->out.used) {
        ssize_t size = write(STDOUT_FILENO, program->out.data + written,
                             program->out.used - written);
        if (size < 0 && errno != EINTR)
            die("cannot write: %s", strerror(errno));
        written += size > 0 ? (size_t)size : 0;
    }
    program->out.used = 0;
}

/* Leaves the process, with all that was answered sent. */
static void leave(struct program *program, int status)
{
    flush(program);
    free_scheduler(program->reading.scheduler);
    free(program->reading.nodes);
    free(program->reading.problem.data);
    free(program->out.data);
    free(program->input.data);
    exit(status);
}

static void start(struct program *program, const json_t *version)
{
    if (program->started) {
        fprintf(stderr, "%s: a second start\n", PROGRAM);
        leave(program, 2);
    }
    if (!json_is_integer(version) || json_integer_value(version) != PROTOCOL_VERSION) {
        put_words(&program->out, "{\"version\":1,\"unsupported\":\"only version 1 is spoken\"}\n");
        leave(program, 0);
    }
    program->started = true;
    put_words(&program->out, profile);
}

static void run(struct program *program, struct slice id, json_t *message)
{
    struct text *out = &program->out;
    struct reading *in = &program->reading;
    put_words(out, "{\"id\":");
    put_quoted(out, id);
    size_t answers = out->used;
    put_words(out, ",\"answers\":");
    if (program->started)
        answer_case(in, json_object_get(message, "case"), out);
    in->has_problem |= !program->started;
    if (in->has_problem) {
        struct slice problem = {in->problem.data, in->problem.used};
        out->used = answers;
        put_words(out, ",\"error\":");
        put_quoted(out, program->started ? problem : (struct slice){"run before start", 16});
    }
    put_words(out, "}\n");
}

/* A message that cannot be answered by its id ends the program: nothing else would be seen. */
static void treat_message(struct program *program, json_t *message)
{
    struct reading *in = &program->reading;
    in->has_problem = false;
    enum { START, RUN, STOP } command = (int)read_word(
        in, json_object_get(message, "cmd"), "cmd", FIELDS("start", "run", "stop"));
    const char *const *const fields[] = {
        [START] = FIELDS("cmd", "version"), [RUN] = FIELDS("cmd", "id", "case"),
        [STOP] = FIELDS("cmd")
    };
    expect_fields(in, message, "a message", fields[command]);
    struct slice id = {"", 0};
    if (command == RUN)
        id = read_text(in, json_object_get(message, "id"), "id");
    if (in->has_problem) {
        fprintf(stderr, "%s: not a message: %.*s\n", PROGRAM, (int)in->problem.used,
                in->problem.data);
        json_decref(message);
        leave(program, 2);
    }
    if (command == START)
        start(program, json_object_get(message, "version"));
    else if (command == RUN)
        run(program, id, message);
    json_decref(message);
    if (command == STOP)
        leave(program, 0);
}

static void treat_line(struct program *program, const char *line, size_t size)
{
    json_error_t error;
    /* Jansson reads a NUL within a text, and none within a key: names of resources have none. */
    json_t *message = json_loadb(line, size, JSON_ALLOW_NUL, &error);
    if (!message) {
        fprintf(stderr, "%s: a line is not JSON that can be read: %s\n", PROGRAM, error.text);
        leave(program, 2);
    }
    treat_message(program, message);
}

static void treat_lines(struct program *program, size_t fresh)
{
    struct text *input = &program->input;
    char *end;
    while ((end = memchr(input->data + fresh, '\n', input->used - fresh))) {
        char *line = input->data + program->line_start;
        fresh = program->line_start = (size_t)(end - input->data) + 1;
        treat_line(program, line, (size_t)(end - line));
    }
    input->used -= program->line_start;
    memmove(input->data, input->data + program->line_start, input->used);
    program->line_start = 0;
}

/* Answers are sent when there is nothing left to treat, so a pipeline costs few system calls. */
static void serve(struct program *program)
{
    struct text *input = &program->input;
    for (;;) {
        flush(program);
        RESERVE(input->data, input->room, input->used + 65536);
        ssize_t size = read(STDIN_FILENO, input->data + input->used, input->room - input->used);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            die("cannot read: %s", strerror(errno));
        if (size == 0)
            break;
        input->used += (size_t)size;
        treat_lines(program, input->used - (size_t)size);
    }
    if (input->used)
        treat_line(program, input->data, input->used);
    leave(program, 0);
}

static const char *const help =
    "usage: " PROGRAM " [--fault NAME]...\n"
    "\n"
    "A slot allocator that speaks the protocol of the conformance kit, version 1,\n"
    "on standard input and output.\n"
    "\n"
    "Faults of the seeds, which the profile does not admit to:\n"
    "  shared-cursor   one host cursor for a plan, not a fresh one for each bucket (HOST-3)\n"
    "  key-padding     cache keys compared as raw memory, padding included (E3, CACHE-8)\n"
    "  float-ledger    amounts in floating numbers, reversed by subtraction (E2, UNDO-1)\n"
    "  literal-cache   filled inside compounds; a hit pends the whole job (E1, E10)\n";

static bool set_fault(const char *name)
{
    const struct {
        const char *name;
        bool *on;
    } faults[] = {
        {"shared-cursor", &fault.shared_cursor},
        {"key-padding", &fault.key_padding},
        {"float-ledger", &fault.float_ledger},
        {"literal-cache", &fault.literal_cache},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].name, name) == 0)
            return *faults[i].on = true;
    return false;
}

int main(int count, char **words)
{
    static struct program program;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(words[i], "--fault") != 0 || i + 1 == count || !set_fault(words[++i]))
            die("unknown argument: %s; --help lists what there is", words[i]);
    }
    serve(&program);
}
