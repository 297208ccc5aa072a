"""The theorems as a catalogue: for `allotment clauses`, and as the page that lists them."""

from collections.abc import Iterator

from allotment_proofs.theorems import GROUPS, THEOREMS

HEAD = """# Verified properties

Each line is a theorem that `allotment prove` proves anew; its name is what it says. It speaks about
the model's own functions: Python runs them on symbols that stand for every value, and Z3 shows that
no value breaks the claim. An open proof counts as failed, and so does one whose assumptions
contradict each other, or one that a wrong rule of the catalogue should break and does not, or of
which that stays open. Whole runs are tried with the wrong rules of their clauses; with all of them
by `make mutate-model`, whose table is in [mutation.md](mutation.md). What has to be believed beside
Z3 and Python is [`trusted`](../proofs/allotment_proofs/trusted/__init__.py): 278 lines of code that
make terms and 109 that refuse what they cannot read, with 30 lines of imports. Three classes and a
function outside that folder, which it names, are trusted too: 106 lines more. And the statements
have to say what they should. All this is more than the 200 lines that were aimed at: 100 of them
read plans of any length, without which nothing about plans would be shown for all numbers.

The scope tells how far a theorem reaches. *Unbounded* is for all numbers. *Of f alone* means that
the sentence is proved of that function, whatever it is given, and not of those who call it: a
scheduler that asks it in the wrong place, or not at all, breaks the sentence and not the theorem.
*Step lifted* means that a loop of the model is taken as its step repeated, which tests show. The
theorems under *Whole runs* take no step out, and are about the few hosts, tasks, jobs and requests
that they name: a scheduler that is wrong from the sixth host on, in the fourth part of a compound,
or from the twentieth limit that applies on, breaks none of them. Their hosts have one attribute at
most, which few selects read; of identities only users differ, in one run all; and their limits are
for each user over the cluster, and once for a named queue. For an induction over these the body of
a loop would have to be proved by itself; Python runs the model's loops whole, and nothing that cuts
them up is trusted. A select is evaluated by no theorem, for a fraction has no term. A *ghost* is a
quantity of the statement only. What no theorem covers is checked by cases, with `allotment verify`.

Each wrong rule of the catalogue has a witness: a case on which it answers otherwise, run on the
model, or a theorem that says why there is none. Its hosts, jobs and events come from a search
through a slice of small cases, from the fewest hosts, then jobs, then the rest, so that they are
the smallest of that slice by construction. A slice holds what its rules are about and no more, so
that a smaller case of another kind may exist. Its amounts come from Z3: the least sum of
capacities, pools and caps at which these events tell the rule, whatever the amounts.
`allotment prove --witnesses FOLDER` writes them, and each says how it was found.

This page is written by `python -m allotment_proofs.catalogue`. `allotment clauses` fails where a
theorem, its clauses or its scope is told otherwise here than in the proofs. The words around the
tables it does not read; `test_page_lists_the_theorems` compares the whole page.
"""


def clauses_of_theorems() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each theorem's sentence, clauses and scope: what `allotment.theorems` offers."""
    for theorem in THEOREMS:
        yield theorem.name, theorem.clauses, theorem.scope


def page() -> str:
    """The page that lists every theorem."""
    lines = [HEAD]
    for name, theorems in GROUPS.items():
        lines += [f"## {name}", "", "| theorem | clauses | scope |", "|---|---|---|"]
        lines += [f"| {one.name} | {' '.join(one.clauses)} | {one.scope} |" for one in theorems]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
