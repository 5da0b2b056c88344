/* Hides shards from statements that read pg_class, as Citus does from clients: its function says which relations these are. */
#include "shard_planner.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"

static Node *
is_no_shard(Oid function, int relation)
{
	Var		   *oid = makeVar(relation, Anum_pg_class_oid, OIDOID, -1, InvalidOid, 0);
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = (Expr *) makeFuncExpr(function, BOOLOID, list_make1(oid), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	test->booltesttype = IS_NOT_TRUE;
	test->location = -1;
	return (Node *) test;
}

static bool
reads(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblRef))
		return ((RangeTblRef *) node)->rtindex == *(int *) context;
	return expression_tree_walker(node, reads, context);
}

static bool
hide(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	int			number = 0;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, hide, context);
	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		number++;
		if (entry->rtekind == RTE_RELATION && entry->relid == RelationRelationId &&
			reads((Node *) query->jointree->fromlist, &number))
			query->jointree->quals = (Node *) make_and_qual(query->jointree->quals, is_no_shard(*(Oid *) context, number));
	}
	return query_tree_walker(query, hide, context, 0);
}

void
hide_shards(Query *query)
{
	Oid			oid = OIDOID;
	Oid			function = LookupFuncName(list_make2(makeString("pg_catalog"), makeString("relation_is_a_known_shard")),
										  1, &oid, true);

	if (OidIsValid(function))
		hide((Node *) query, &function);
}
