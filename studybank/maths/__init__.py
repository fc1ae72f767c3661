"""TeX to HTML by MathJax, at build time, with a store on disk so that no formula is set twice."""

from studybank.maths.store import FormulaStore, MathsError

__all__ = ["FormulaStore", "MathsError"]
