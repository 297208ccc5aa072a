"""All that must be believed, beside Z3 and Python, for *proved* to mean proved.

1. `symbols`: that Python's operators on a symbol are those on each of its values: the arithmetic
   of integers (division and remainder rounded down), comparisons, equality, truth; that every
   branch is run, and the branches are joined under the conditions met; that a run which raises
   becomes an obligation; and that a rule which is asked twice about the same numbers in one
   reading may answer as before, and Z3 about the same condition. What has no term is refused, and
   so is a container or object of a kind whose parts are not known.
2. `sequences`: that a generator expression over items makes of each number what its code makes of
   that number alone, as long as it encloses and makes nothing that may change; and that whoever
   goes through it is the first, and makes all items: what one of any number raises is an
   obligation, where Python's `tuple` stands.
3. `forms`: that the kinds of nodes, attributes, patterns, imports, identities and exceptions that
   it lists are all that the specification's source may have, and that each of them asks a symbol.
   `type`, `is` and their like ask none, and a broad `except` hides that one refused. It computes
   nothing: it only refuses, and what it refuses is a list that was found by trying.
4. That what is run is pure, so that a run can be repeated and a rule be called on copies of its
   arguments, and that no answer depends on the order of a set; the model's functions are so, and an
   edit that makes one otherwise may be called proved. One thread runs them.
5. Outside this folder `statement.Lifting`, which hands the terms of a theorem to the model as
   symbols, but not those that a function of the theorem encloses; and `prover.Question`, which asks
   Z3 about the claim *and* all obligations that its theorem has met so far; and `prover.Answers`,
   which asks the same question once; and `prover.outcome_under`, for which a theorem is proved if
   it has a case and all its cases are.

Beside it stand, as in every proof, the statements themselves: `theorems` has to be read, and
where one says that the books are the sums or that no invariant is broken, the model's
`oracle.invariants` and `books.recount`, which say what that is. All the rest (counterexamples,
changed sources, mutants, places in messages, reports, witnesses) can at worst lose a proof.
Tests run each lifted term and its Python function on the same values, and put planted faults
before the prover.
"""
