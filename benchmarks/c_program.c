/*
 * The C sample without its wire: the same source, asked by a driver that reads all rounds before
 * it measures the first, and writes answers only after a round was measured.
 *
 * Standard input: {"cluster": …, "unmeasured": n, "budget": thousandths of a second,
 * "steps": [{"finish": [name], "submit": [job]}]}. Standard output: a line for each step,
 * {"seconds": s, "answers": [[alternative, parts] or [reason, never]]}. It ends when the measured
 * steps have used the budget, in the middle of one if need be. The cache is emptied before each job, as if there were none.
 */

#define main main_of_the_sample
#include "allotment_sample.c"
#undef main

#include <math.h>
#include <time.h>

struct tried {
    struct job *job;
    int32_t won;
    enum category category;
    bool never;
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What try_job does, without text. */
static struct tried decide(struct scheduler *s, struct job *job)
{
    struct attempt *attempt = &s->attempt;
    struct failure failure = {.category = CAPACITY};
    begin_cache_session(s);
    attempt->claim_count = 0;
    struct tried tried = {.job = job, .won = try_alternatives(attempt, job, &failure)};
    if (tried.won != NONE) {
        commit(attempt, job, tried.won);
    } else {
        tried.category = failure.category;
        tried.never = job_never_placeable(s, job);
    }
    return tried;
}

static void put_tried(const struct scheduler *s, const struct tried *tried, struct text *out)
{
    put_separator(out);
    put_words(out, "[");
    if (tried->won != NONE) {
        put_integer(out, tried->won);
        put_words(out, ",");
        put_parts(s, tried->job, out);
    } else {
        put_words(out, "\"");
        put_words(out, category_words[tried->category]);
        put_words(out, tried->never ? "\",true" : "\",false");
    }
    put_words(out, "]");
}

static void read_events(struct reading *in, json_t *step)
{
    json_t *finished = json_object_get(step, "finish"), *jobs = json_object_get(step, "submit");
    for (size_t i = 0; i < json_array_size(finished); i++)
        finish(in, json_array_get(finished, i));
    begin_session(in);
    for (size_t i = 0; i < json_array_size(jobs); i++)
        submit(in, json_array_get(jobs, i));
    if (in->has_problem || in->code != ACCEPTED)
        die("a step is none: %.*s", (int)in->problem.used, in->problem.data);
}

/*
 * One step, or as much of it as there is time for; the part of the budget that it took: all of it
 * if the step was left in the middle, since what follows would meet another cluster.
 */
static double run_step(struct reading *in, json_t *step, double most_seconds, struct text *out)
{
    struct scheduler *s = in->scheduler;
    read_events(in, step);
    sort_queue(s);
    size_t count = 0;
    struct tried *tried = resize(NULL, s->queue_count + 1, sizeof *tried);
    /* The clock of the processor would take as long to read as a simple decision takes. */
    double until = seconds_of(CLOCK_MONOTONIC) + most_seconds;
    double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    while (count < s->queue_count && seconds_of(CLOCK_MONOTONIC) < until) {
        tried[count] = decide(s, s->queue[count]);
        count++;
    }
    double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began;
    char words[64];
    snprintf(words, sizeof words, "{\"seconds\":%.9f,\"answers\":[", seconds);
    put_words(out, words);
    for (size_t i = 0; i < count; i++) {
        put_tried(s, &tried[i], out);
        if (tried[i].won == NONE)
            tried[i].job->state = WITHDRAWN;
    }
    put_words(out, "]}\n");
    free(tried);
    return count < s->queue_count ? most_seconds : seconds;
}

/* `main` was another name above: the sample's own is not needed here. */
int main(void)
{
    static struct program program;
    struct reading *in = &program.reading;
    json_error_t error;
    json_t *asked = json_loadf(stdin, 0, &error);
    if (!asked)
        die("not JSON: %s", error.text);
    in->code = ACCEPTED;
    in->scheduler = new_scheduler();
    read_cluster(in, json_object_get(asked, "cluster"));
    json_t *steps = json_object_get(asked, "steps");
    size_t unmeasured = (size_t)json_integer_value(json_object_get(asked, "unmeasured"));
    double budget = (double)json_integer_value(json_object_get(asked, "budget")) / 1000;
    double left = budget;
    for (size_t i = 0; i < json_array_size(steps) && left > 0; i++) {
        double most = i < unmeasured ? HUGE_VAL : left;
        left -= run_step(in, json_array_get(steps, i), most, &program.out);
        if (i < unmeasured)
            left = budget;
        flush(&program);
    }
    json_decref(asked);
    leave(&program, 0);
}
