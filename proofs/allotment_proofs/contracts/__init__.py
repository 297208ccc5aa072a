"""Contracts on the model's code, which CrossHair runs with symbolic arguments.

A theorem is about lifted terms; a contract is about the Python that runs. Its scope is what stands
behind `pre:`; *confirmed over all paths* is said of that scope and of no more.
"""
