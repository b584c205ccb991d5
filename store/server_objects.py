"""Finds objects in a store's schema on a server that are not of this program.

Objects of extensions and other schemas are ignored.
"""

from sqlalchemy import Connection

from store import append_only, rater_functions
from store.postgres import OWN
from store.schema import OWN_TABLES

_OURS = "SELECT c.oid FROM pg_class c WHERE c.relnamespace = {schema} AND c.relname = ANY(%(tables)s)"
_SCHEMA = "%(schema)s::regnamespace"
_ON_OUR_TABLES = (
    "SELECT 'trigger', o.tgname FROM pg_trigger o "
    "WHERE NOT o.tgisinternal AND o.tgrelid IN ({ours}) AND o.tgname <> ALL(%(triggers)s)",
    "SELECT 'rule', o.rulename FROM pg_rewrite o WHERE o.ev_class IN ({ours}) AND o.rulename <> '_RETURN'",
    "SELECT 'policy', o.polname FROM pg_policy o WHERE o.polrelid IN ({ours})",
    # In any schema: its rows are read with those of our table.
    "SELECT 'table', o.relname FROM pg_inherits i JOIN pg_class o ON o.oid = i.inhrelid "
    "WHERE i.inhparent IN ({ours}) AND o.relkind <> 'i'",
)
_KINDS = {
    "r": "table",
    "p": "table",
    "f": "foreign table",
    "v": "view",
    "m": "materialized view",
    "S": "sequence",
    "c": "type",
}
_RELATIONS = (
    "SELECT CASE o.relkind {kinds} END, o.relname FROM pg_class o WHERE o.relnamespace = {schema} "
    "AND o.relkind NOT IN ('i', 'I', 't') AND NOT (o.relkind = 'r' AND o.relname = ANY(%(tables)s)) "
    "AND NOT (o.relkind = 'S' AND EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass "
    "AND d.objid = o.oid AND d.deptype IN ('a', 'i') AND d.refobjid IN ({ours}))) AND {made_here}"
)
_FUNCTIONS = (
    "SELECT 'function', o.proname FROM pg_proc o WHERE o.pronamespace = {schema} "
    "AND o.proname || '(' || oidvectortypes(o.proargtypes) || ')' <> ALL(%(functions)s) AND {made_here}"
)
_OPERATORS = "SELECT 'operator', o.oprname FROM pg_operator o WHERE o.oprnamespace = {schema} AND {made_here}"
# Types of tables and arrays come with these.
_TYPES = (
    "SELECT 'type', o.typname FROM pg_type o WHERE o.typnamespace = {schema} "
    "AND o.typtype <> 'c' AND o.typcategory <> 'A' AND {made_here}"
)
_COLLATIONS = (
    "SELECT 'collation', o.collname FROM pg_collation o WHERE o.collnamespace = {schema} AND {made_here}"
)
_IN_OUR_SCHEMA = {
    "pg_class": _RELATIONS,
    "pg_proc": _FUNCTIONS,
    "pg_operator": _OPERATORS,
    "pg_type": _TYPES,
    "pg_collation": _COLLATIONS,
}
_MADE_HERE = (
    "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = '{catalog}'::regclass AND d.objid = o.oid "
    "AND d.deptype = 'e')"
)


def server_objects_not_ours(connection: Connection) -> list[tuple[str, str]]:
    """The kind and the name of everything in the store's schema that our releases do not create."""
    kinds = " ".join(f"WHEN '{sign}' THEN '{kind}'" for sign, kind in _KINDS.items())
    ours = _OURS.format(schema=_SCHEMA)
    asked = [query.format(ours=ours) for query in _ON_OUR_TABLES]
    asked += [
        query.format(ours=ours, schema=_SCHEMA, kinds=kinds, made_here=_MADE_HERE.format(catalog=catalog))
        for catalog, query in _IN_OUR_SCHEMA.items()
    ]
    rows = connection.exec_driver_sql(" UNION ALL ".join(asked), _names())
    return [(str(kind), str(name)) for kind, name in rows]


def _names() -> dict[str, object]:
    return {
        "schema": OWN,
        "tables": list(OWN_TABLES),
        "triggers": append_only.own_server_triggers(),
        "functions": [f"{append_only.REFUSING_FUNCTION}()", *rater_functions.own_functions()],
    }
