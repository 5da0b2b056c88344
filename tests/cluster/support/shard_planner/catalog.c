/* The distributed tables and their shards, by the catalogs of tests/cluster/support/sharded.sql. They are read
 * without statements: this runs inside of the planner. */
#include "shard_planner.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Columns as sharded.sql has them. */
#define PARTITION_TABLE 1
#define PARTITION_KEY 3
#define SHARD_TABLE 1
#define SHARD_ID 2
#define SHARD_LEAST 4
#define SHARD_MOST 5

static int64
number(HeapTuple row, int column, TupleDesc columns)
{
	bool		is_null;
	Datum		value = heap_getattr(row, column, columns, &is_null);

	return is_null ? 0 : DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(TextDatumGetCString(value))));
}

/* The column that a table is distributed by; none where it is not, or nothing is. */
AttrNumber
distribution_column(Oid table)
{
	Oid			catalog = get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE);
	AttrNumber	found = InvalidAttrNumber;
	Relation	relation;
	SysScanDesc scan;
	HeapTuple	row;

	if (!OidIsValid(catalog) || !OidIsValid(table))
		return InvalidAttrNumber;
	relation = table_open(catalog, AccessShareLock);
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		is_null;
		TupleDesc	columns = RelationGetDescr(relation);

		if (DatumGetObjectId(heap_getattr(row, PARTITION_TABLE, columns, &is_null)) == table)
			found = get_attnum(table, TextDatumGetCString(heap_getattr(row, PARTITION_KEY, columns, &is_null)));
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* The table of a shard lies beside the table, and is called after the shard's number. */
static Oid
shard_table(Oid table, int64 id)
{
	char	   *name = psprintf("%s_" INT64_FORMAT, get_rel_name(table), id);
	Oid			found = get_relname_relid(name, get_rel_namespace(table));

	if (!OidIsValid(found))
		elog(ERROR, "there is no shard %s", name);
	return found;
}

/* The shards of a table: all of them, or the one of a hash. */
static List *
shards_between(Oid table, int64 least, int64 most)
{
	Relation	relation = table_open(get_relname_relid("pg_dist_shard", PG_CATALOG_NAMESPACE), AccessShareLock);
	TupleDesc	columns = RelationGetDescr(relation);
	SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	List	   *found = NIL;
	HeapTuple	row;

	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		is_null;

		if (DatumGetObjectId(heap_getattr(row, SHARD_TABLE, columns, &is_null)) == table &&
			number(row, SHARD_LEAST, columns) <= most && number(row, SHARD_MOST, columns) >= least)
			found = lappend_oid(found, shard_table(table, DatumGetInt64(heap_getattr(row, SHARD_ID, columns, &is_null))));
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

List *
shards_of(Oid table)
{
	return shards_between(table, PG_INT32_MIN, PG_INT32_MAX);
}

/* A value of NULL is no row's: any shard has none. */
Oid
shard_for(Oid table, Const *value)
{
	int32		hash = value->constisnull ? 0 :
		DatumGetInt32(DirectFunctionCall1Coll(hashtext, DEFAULT_COLLATION_OID, value->constvalue));
	List	   *found = shards_between(table, hash, hash);

	if (list_length(found) != 1)
		elog(ERROR, "%d shards have the hash %d", list_length(found), hash);
	return linitial_oid(found);
}
