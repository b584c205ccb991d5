"""What packages offer by entry point: known by its name, and loaded when it is asked for."""

from dataclasses import dataclass
from functools import cached_property, reduce
from importlib import import_module


@dataclass(frozen=True)
class Offered:
    """Something in a package: ``place`` is its module and its name there, such as ``package.module:Name``.

    ``package`` is the distribution that offers it; "" for this one.
    """

    name: str
    place: str
    package: str = ""

    @cached_property
    def loaded(self) -> object:
        """The thing itself, always the same one; of a class, an instance. Raises whatever its code raises."""
        module, _, attribute = self.place.partition(":")
        thing: object = reduce(getattr, attribute.split("."), import_module(module))
        return thing() if isinstance(thing, type) else thing


def offered_by_packages(group: str) -> tuple[Offered, ...]:
    """The entry points of a group in all packages of the environment, by name.

    Slow: it reads the metadata of every package.
    """
    from importlib.metadata import entry_points

    points = entry_points(group=group)
    offers = [Offered(point.name, point.value, point.dist.name if point.dist else "") for point in points]
    return tuple(sorted(offers, key=lambda offer: (offer.name, offer.package)))
