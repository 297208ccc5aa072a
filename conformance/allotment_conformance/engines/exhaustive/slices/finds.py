"""Which variants each slice finds: those that some of its cases are answered otherwise by.

Found by running them all at scope small; the tests run them again. A variant that several slices
find shows its smallest case in each.
"""

_TOLD = {
    "splits": (
        "second plan first, only the first plan, filled split, ascending buckets, first "
        "bucket only, one plan too few, shared host cursor, claimed host not passed over, "
        "last host first, most free host first, least free host first, exactly enough is not "
        "enough, no rollback, parts reported backwards, capacity always blamed, never is "
        "never said, counts never arrive"
    ),
    "spans": (
        "second plan first, only the first plan, ascending buckets, span bounds "
        "ignored, ptile ignored, ptile balanced, first bucket only, one plan too few, shared "
        "host cursor, claimed host not passed over, last host first, most free host first, "
        "least free host first, exactly enough is not enough, parts reported backwards, "
        "capacity always blamed, never is never said, counts never arrive"
    ),
    "span pairs": (
        "only the first plan, span bounds ignored, ptile ignored, first bucket only, one plan "
        "too few, last host first, least free host first, exactly enough is not enough, key "
        "without span, hit loses its category, cache never filled, latest submission first, "
        "parts reported backwards, capacity always blamed, never is never said, hit not told, "
        "counts never arrive"
    ),
    "compounds": (
        "second plan first, only the first plan, first bucket only, one plan too few, last "
        "host first, most free host first, least free host first, exactly enough is not "
        "enough, host debits of the attempt not seen, failed work keeps its debits, compound "
        "keeps parts, nested primaries unchecked, last alternative first, first alternative "
        "only, cache filled inside a compound, hit pends the job, hit loses its category, "
        "cache never filled, latest submission first, parts reported backwards, capacity "
        "always blamed, never if any alternative is, never only if all parts are, never is "
        "never said, hit not told, counts never arrive"
    ),
    "queues": (
        "second plan first, one plan too few, exactly enough is not enough, cache never "
        "filled, priorities ignored, lowest priority first, latest submission first, never is "
        "never said, hit not told, counts never arrive"
    ),
    "pools": (
        "second plan first, one plan too few, rusage entry counted twice, exactly enough is "
        "not enough, host debits of the attempt not seen, pool debits of the attempt not "
        "seen, failed work keeps its debits, per-job amount for each task, per-task pool "
        "amount once, compound keeps parts, nested primaries unchecked, capacity always "
        "blamed, never only if all parts are, never is never said, counts never arrive"
    ),
    "amounts": (
        "second plan first, only the first plan, first bucket only, one plan too few, last "
        "host first, most free host first, least free host first, per-host amount for each "
        "task, per-task amount once, last rusage entry wins, rusage entry counted twice, "
        "exactly enough is not enough, zero amount asks for something, lacking amount is "
        "unlimited, parts reported backwards, never is never said, counts never arrive, per "
        "left out means per host"
    ),
    "amount pairs": (
        "second plan first, one plan too few, per-host amount for each task, rusage entry "
        "counted twice, exactly enough is not enough, zero amount asks for something, lacking "
        "amount is unlimited, key without rusage, cache never filled, latest submission "
        "first, never is never said, hit not told, counts never arrive, per left out means "
        "per host"
    ),
    "limits": (
        "only the first plan, first bucket only, one plan too few, last host first, least "
        "free host first, exactly enough is not enough, one short of the cap, limit want of "
        "the first host, user limits ignored, queue limits ignored, project limits ignored, "
        "per-host limit over the cluster, limit debits of the attempt not seen, key without "
        "user, key without queue, key without project, hit loses its category, cache never "
        "filled, latest submission first, parts reported backwards, capacity always blamed, "
        "never is never said, hit not told, counts never arrive"
    ),
    "limit pairs": (
        "second plan first, only the first plan, first bucket only, one plan too few, last "
        "host first, most free host first, least free host first, exactly enough is not "
        "enough, one short of the cap, limit want of the first host, user limits ignored, "
        "named limit hides each, per-host limit over the cluster, limit debits of the attempt "
        "not seen, parts reported backwards, capacity always blamed, never is never said, "
        "counts never arrive"
    ),
    "holdings": (
        "second plan first, one plan too few, per-host amount for each task, rusage entry "
        "counted twice, exactly enough is not enough, one short of the cap, user limits "
        "ignored, per-host limit over the cluster, per-job amount for each task, limit blamed "
        "before pool, capacity always blamed, never is never said, counts never arrive"
    ),
    "selects": (
        "one plan too few, select ignored, exactly enough is not enough, capacity always "
        "blamed, never is never said, undefined attribute is zero, attributes cut to whole "
        "numbers, no short circuit"
    ),
    "select pairs": (
        "one plan too few, select ignored, exactly enough is not enough, key without select, "
        "hit loses its category, cache never filled, latest submission first, capacity always "
        "blamed, never is never said, hit not told, undefined attribute is zero, attributes "
        "cut to whole numbers"
    ),
    "sessions": (
        "one plan too few, closed hosts used, exactly enough is not enough, cache outlives "
        "the session, cache never filled, latest submission first, pending job forgotten, "
        "finish credits at once, change takes effect at once, leak at finish, credit twice, "
        "never is never said, closed hosts count as gone, hit not told, counts never arrive"
    ),
    "changes": (
        "second plan first, one plan too few, rusage entry counted twice, exactly enough is "
        "not enough, one short of the cap, user limits ignored, per-job amount for each task, "
        "key without rusage, cache outlives the session, hit loses its category, cache never "
        "filled, latest submission first, pending job forgotten, finish credits at once, "
        "change takes effect at once, leak at finish, credit twice, new limit counts from "
        "zero, limit blamed before pool, capacity always blamed, never is never said, hit not "
        "told, counts never arrive"
    ),
    "words": (
        "one plan too few, exactly enough is not enough, latest submission first, finish "
        "credits at once, change takes effect at once, duplicate-name is not refused"
    ),
    "counts": (
        "one plan too few, exactly enough is not enough, host debits of the attempt not seen, "
        "failed work keeps its debits, compound keeps parts, nested primaries unchecked, "
        "never only if all parts are, never is never said, counts never arrive, fewest tasks "
        "placed, tasks-range is not refused, counts is not refused"
    ),
    "count pairs": (
        "second plan first, one plan too few, exactly enough is not enough, key without tasks "
        "min, key without tasks max, cache never filled, latest submission first, never is "
        "never said, hit not told, counts never arrive, fewest tasks placed, tasks-range is "
        "not refused, counts is not refused"
    ),
    "refusals": (
        "one plan too few, exactly enough is not enough, latest submission first, "
        "duplicate-name is not refused, identity-missing is not refused, empty-compound is "
        "not refused, tasks-range is not refused, counts is not refused, span-range is not "
        "refused, slots-in-rusage is not refused, unknown-resource is not refused, "
        "not-an-attribute is not refused, type is not refused, per-host-on-pool is not "
        "refused, per-job-on-host is not refused, amount-range is not refused, syntax is not "
        "refused"
    ),
}

FINDS: dict[str, tuple[str, ...]] = {name: tuple(told.split(", ")) for name, told in _TOLD.items()}
"""The names of the variants, by slice."""
