"""All that must be believed, beside Z3 and Python, for *proved* to mean proved.

1. `symbols`: that Python's operators on a symbol are those on each of its values: the arithmetic
   of integers (division and remainder rounded down), comparisons, equality, truth; that every
   branch is run, and the branches are joined under the conditions met; and that a run which
   raises becomes an obligation. What has no term is refused. Only `is` cannot be refused: tests
   hold that the model asks it of None and of members of enums alone, which are never symbols.
2. `sequences`: that the generators which make plans are the loops they are rewritten to.
3. That what is lifted is pure, so that a run can be repeated; the model's functions are.

Beside it stand, as in every proof, the statements themselves: `theorems` has to be read. All the
rest (prover, mutants, reports, witnesses) can at worst lose a proof, with one exception: the
prover has to ask Z3 about the claim *and* the obligations. Tests run each lifted term and its
Python function on the same values, and put planted faults before the prover.
"""
