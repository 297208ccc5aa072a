"""All that must be believed, beside Z3 and Python, for *proved* to mean proved.

1. `symbols`: that Python's operators on a symbol are those on each of its values: the arithmetic
   of integers (division and remainder rounded down), comparisons, equality, truth; that every
   branch is run, and the branches are joined under the conditions met; that a run which raises
   becomes an obligation; and that a rule which is asked twice about the same numbers in one
   reading may answer as before. What has no term is refused. `is`, `type` and their like ask no
   symbol, and a broad `except` hides that one refused: `forms` looks through the specification's
   source and refuses them, but for `is` with None or members of enums, which are no symbols.
2. `sequences`: that a generator expression which makes plans is the `each` it is rewritten to:
   what it reads later is bound once, which `forms` looks for.
3. That what is run is pure, so that a run can be repeated and a rule be called on copies of its
   arguments; the model's functions are. One thread runs them.
4. Outside this folder `statement.Lifting`, which hands the terms of a theorem to the model as
   symbols, in values but not in the keys of mappings; and `prover.Question`, which asks Z3 about
   the claim *and* all obligations that its theorem has met so far; and `prover.Answers`, which
   asks the same question once.

Beside it stand, as in every proof, the statements themselves: `theorems` has to be read. All the
rest (mutants, reports, witnesses) can at worst lose a proof. Tests run each lifted term and its
Python function on the same values, and put planted faults before the prover.
"""
