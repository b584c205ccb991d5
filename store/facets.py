"""Values of places by dataset, group, generator and origin, with the number of places of each."""

from collections import Counter

from sqlalchemy import func
from sqlmodel import Session, col, select

from store.tables import CaseRow, MembershipRow


def facets(session: Session) -> dict[str, Counter[str]]:
    """Field → value → number of places, for "dataset", "group", "generator" and "origin"; values sorted."""
    place, case = MembershipRow, CaseRow
    fields = {
        "dataset": col(place.dataset),
        "group": col(case.group),
        "generator": col(place.generator),
        "origin": col(place.origin),
    }
    counted = {}
    for name, field in fields.items():
        counting = select(field, func.count()).select_from(place).group_by(field).order_by(field)
        if name == "group":
            counting = counting.join(case, col(case.digest) == col(place.case))
        counted[name] = Counter(dict(session.exec(counting).all()))
    return counted
