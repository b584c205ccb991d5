"""Cases that a procedure makes of those of a dataset: each is at the place of its source, in the dataset of
the run's name.
"""

from collections.abc import Collection

from reviewer.protocols.base import DatasetCase
from reviewer.protocols.name_masking import NameMask
from reviewer.protocols.procedure import CaseProcedure
from store.candidates import CandidateBatch
from store.case_import import Entry, published_at
from store.records import Case, Dataset, JsonValue, Membership, Run, canonical_json

DATASET, CASES = "dataset", "cases"
"""The names in a run under which it has its dataset, and the digests of the cases of this."""
_KEYS, _GENERATORS = "keys", "generators"


def sources_of(procedure: CaseProcedure, places: Collection[Membership]) -> dict[str, JsonValue]:
    """What a run keeps of the places of its cases, if its procedure makes cases of them."""
    material: dict[str, JsonValue] = {}
    if procedure.makes:
        material[_KEYS] = [place.key for place in places]
    if procedure.makes and not procedure.made_by:
        material[_GENERATORS] = [place.generator for place in places]
    return material


class MadeCases:
    """Puts the cases that a run makes at their places."""

    def __init__(self, run: Run, procedure: CaseProcedure) -> None:
        self._run, self._procedure = run, procedure
        self._positions = {digest: position for position, digest in enumerate(run.seeds[CASES])}
        self._mask = NameMask(run.roles.values())

    def batch(self, made: DatasetCase, source: Case) -> CandidateBatch:
        """A case that came of another one, with its dataset."""
        run, position = self._run, self._positions[source.digest]
        case = self._without_names(made.case, source)
        header = Dataset(
            name=run.name,
            protocol=case.protocol,
            source=f"made by {self._procedure.name} of {run.material[DATASET]}",
            imported_at=run.started_at,
        )
        place = Membership(
            dataset=run.name,
            key=made.key or run.material[_KEYS][position],
            case=case.digest,
            position=position,
            generator=run.roles.get(self._procedure.made_by) or run.material[_GENERATORS][position],
            run=run.name,
            origin="generated",
        )
        return CandidateBatch(header, (Entry(case, place, published_at(place, made.published)),))

    def _without_names(self, made: Case, source: Case) -> Case:
        """The case without names of models, which would tell raters who wrote it; names that the case has
        that it came of stay.
        """
        put = canonical_json(source.payload)

        def masked(value: JsonValue) -> JsonValue:
            match value:
                case str():
                    return self._mask.masked(value, put).text
                case list():
                    return [masked(part) for part in value]
                case dict():
                    return {name: masked(part) for name, part in value.items()}
            return value

        payload = masked(made.payload)
        assert isinstance(payload, dict)
        return Case.of(made.protocol, made.group, made.payload_version, payload)
