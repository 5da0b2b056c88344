/* Puts shards in the place of the tables that a statement names. Privileges stay the tables'. */
#include "shard_planner.h"

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_relation.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "access/table.h"

/* The relation that ON CONFLICT calls "excluded" has rows of the table that is inserted into. */
static void
name_excluded(Query *query, Oid table, Oid shard)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (entry->relkind == RELKIND_COMPOSITE_TYPE && entry->relid == table)
		{
			if (entry->perminfoindex > 0)
				getRTEPermissionInfo(query->rteperminfos, entry)->relid = shard;
			entry->relid = shard;
		}
	}
}

/* The shard of the value that all are bound to. Gives what is to be asked of the tables. */
List *
name_shards(Statement *statement)
{
	List	   *rights = NIL;
	ListCell   *cell;

	foreach(cell, statement->named)
	{
		Named	   *named = lfirst(cell);
		RTEPermissionInfo *right = getRTEPermissionInfo(named->query->rteperminfos, named->entry);
		Oid			table = named->entry->relid;
		Oid			shard = shard_for(table, named->value);

		LockRelationOid(shard, named->entry->rellockmode);
		rights = lappend(rights, copyObject(right));
		right->relid = shard;
		right->requiredPerms = 0;
		named->entry->relid = shard;
		if (named->query->onConflict != NULL)
			name_excluded(named->query, table, shard);
	}
	return rights;
}

static bool
ask_nothing(Node *node, void *context)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, ask_nothing, context);
	foreach(cell, ((Query *) node)->rteperminfos)
		((RTEPermissionInfo *) lfirst(cell))->requiredPerms = 0;
	return query_tree_walker((Query *) node, ask_nothing, context, 0);
}

/* A table becomes what a view of all its shards would be; its column numbers are the view's. */
void
read_all_shards(Named *named)
{
	RangeTblEntry *entry = named->entry;
	Relation	relation = table_open(entry->relid, NoLock);
	TupleDesc	columns = RelationGetDescr(relation);
	StringInfoData list;
	StringInfoData sql;
	ListCell   *cell;
	Query	   *subquery;

	initStringInfo(&list);
	for (int at = 0; at < columns->natts; at++)
	{
		if (TupleDescAttr(columns, at)->attisdropped)
			elog(ERROR, "a distributed table with a dropped column");
		appendStringInfo(&list, "%s%s", at > 0 ? ", " : "", quote_identifier(NameStr(TupleDescAttr(columns, at)->attname)));
	}
	initStringInfo(&sql);
	foreach(cell, shards_of(entry->relid))
		appendStringInfo(&sql, "%sSELECT %s FROM %s", sql.len > 0 ? " UNION ALL " : "", list.data,
						 quote_qualified_identifier(get_namespace_name(get_rel_namespace(lfirst_oid(cell))),
													get_rel_name(lfirst_oid(cell))));
	table_close(relation, NoLock);
	subquery = parse_analyze_fixedparams(linitial(pg_parse_query(sql.data)), sql.data, NULL, 0, NULL);
	ask_nothing((Node *) subquery, NULL);
	entry->rtekind = RTE_SUBQUERY;
	entry->relkind = RELKIND_VIEW;
	entry->subquery = subquery;
	entry->inh = false;
}
