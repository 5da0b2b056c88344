/* Refuses statements that a worker of Citus refuses, with its SQLSTATE and similar words. The rules come from its
 * planner of statements for one shard, and from its checks of definitions. Citus has further ways (joins of colocated
 * shards, results that are fetched first), which this lacks, because the statements of a store must not need them. */
#include "shard_planner.h"

#include "access/genam.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

const char *judged = "";

void
refuse(const char *what)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("shard_planner: %s", what), errdetail("%s", judged)));
	pg_unreachable();
}

static bool
is_stable(Oid function, void *context)
{
	return func_volatile(function) != PROVOLATILE_IMMUTABLE;
}

/* CASE and COALESCE with, and other functions on columns that are, not immutable: which node evaluates them? */
static bool
refuse_undecided(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if ((IsA(node, CaseExpr) || IsA(node, CoalesceExpr)) && contain_mutable_functions(node))
		refuse("non-IMMUTABLE functions are not allowed in CASE or COALESCE statements");
	if (check_functions_in_node(node, is_stable, NULL) && contain_var_clause(node))
		refuse("STABLE functions used in UPDATE queries cannot be called with column references");
	return expression_tree_walker(node, refuse_undecided, context);
}

static bool
is_next_value(Oid function, void *context)
{
	return strcmp(get_func_name(function), "nextval") == 0;
}

static bool
takes_next_value(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, NextValueExpr) || check_functions_in_node(node, is_next_value, NULL) ||
		expression_tree_walker(node, takes_next_value, context);
}

/* SET, of an UPDATE or of ON CONFLICT. */
static void
refuse_new_key(List *targets, int number, AttrNumber key)
{
	ListCell   *cell;

	foreach(cell, targets)
	{
		TargetEntry *target = lfirst(cell);
		Var		   *same = (Var *) target->expr;

		if (!target->resjunk && target->resno == key &&
			!(IsA(same, Var) && same->varno == number && same->varattno == key))
			refuse("modifying the partition value of rows is not allowed");
	}
}

static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		return true;
	return expression_tree_walker(node, has_parameter, context);
}

static void
refuse_on_conflict(Query *query, AttrNumber key, bool selects)
{
	OnConflictExpr *conflict = query->onConflict;
	ListCell   *cell;

	refuse_new_key(conflict->onConflictSet, query->resultRelation, key);
	if (OidIsValid(conflict->constraint))
		refuse("a constraint's name, which is another one on each shard");
	foreach(cell, conflict->onConflictSet)
		if (contain_mutable_functions((Node *) ((TargetEntry *) lfirst(cell))->expr))
			refuse("functions used in the DO UPDATE SET clause of INSERTs must be marked IMMUTABLE");
	if (contain_mutable_functions(conflict->arbiterWhere) || contain_mutable_functions(conflict->onConflictWhere))
		refuse("functions used in the WHERE clause of the ON CONFLICT clause must be marked IMMUTABLE");
	/* The statement that Citus sends to a shard with the selected rows has no parameters. */
	if (selects && (has_parameter((Node *) conflict->onConflictSet, NULL) ||
					has_parameter(conflict->onConflictWhere, NULL)))
		refuse("a parameter in the DO UPDATE clause of INSERT ... SELECT");
}

static void
refuse_change(Query *query, AttrNumber key)
{
	ListCell   *cell;

	if (query->commandType == CMD_MERGE)
		refuse("MERGE");
	if (contain_mutable_functions((Node *) query->returningList))
		refuse("non-IMMUTABLE functions are not allowed in the RETURNING clause");
	if (query->commandType == CMD_INSERT)
	{
		bool		selects = false;

		foreach(cell, query->rtable)
			selects |= ((RangeTblEntry *) lfirst(cell))->rtekind == RTE_SUBQUERY;
		if (query->hasSubLinks)
			refuse("subqueries are not supported within INSERT queries");
		if (query->cteList != NIL && !selects)
			refuse("common table expressions with INSERT queries");
		if (query->onConflict != NULL)
			refuse_on_conflict(query, key, selects);
		return;
	}
	if (contain_volatile_functions((Node *) query))
		refuse("functions used in UPDATE queries on distributed tables must not be VOLATILE");
	if (query->jointree->quals != NULL && IsA(query->jointree->quals, CurrentOfExpr))
		refuse("cannot run DML queries with cursors");
	if (query->commandType == CMD_UPDATE)
	{
		refuse_new_key(query->targetList, query->resultRelation, key);
		refuse_undecided((Node *) query->targetList, NULL);
	}
	refuse_undecided(query->jointree->quals, NULL);
}

static bool
refuse_at_any_level(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, refuse_at_any_level, context);
	if (query->commandType == CMD_SELECT && takes_next_value((Node *) query->targetList, NULL))
		refuse("Sequences cannot be used in router queries");
	foreach(cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst(cell);

		if (cte->search_clause != NULL)
			refuse("CTEs with search clauses are not supported");
		if (((Query *) cte->ctequery)->commandType == CMD_INSERT)
			refuse("only SELECT, UPDATE, or DELETE common table expressions may be router planned");
	}
	if (query->resultRelation > 0)
	{
		AttrNumber	key = distribution_column(rt_fetch(query->resultRelation, query->rtable)->relid);

		if (key != InvalidAttrNumber)
			refuse_change(query, key);
	}
	return query_tree_walker(query, refuse_at_any_level, context, 0);
}

/* Statements that are refused for any number of shards. */
void
refuse_statement(Statement *statement)
{
	if (statement->names_others)
		refuse("Local tables cannot be used in distributed queries");
	refuse_at_any_level((Node *) statement->query, NULL);
}

static bool
joins(Node *item)
{
	return IsA(item, JoinExpr) || (IsA(item, FromExpr) && list_length(((FromExpr *) item)->fromlist) > 1) ||
		(IsA(item, FromExpr) && ((FromExpr *) item)->fromlist != NIL && joins(linitial(((FromExpr *) item)->fromlist)));
}

static bool
is_not_plain(Node *node, void *context)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, is_not_plain, context);
	return query->rowMarks != NIL || query->cteList != NIL || query->hasSubLinks || joins((Node *) query->jointree) ||
		query_tree_walker(query, is_not_plain, context, 0);
}

/* All shards are read; nothing is locked, changed, joined or asked again of each row. */
void
refuse_on_many_shards(Statement *statement)
{
	char	   *table = get_rel_name(((Named *) linitial(statement->named))->entry->relid);

	if (statement->query->commandType != CMD_SELECT)
		refuse(psprintf("cannot run command which targets multiple shards of %s", table));
	if (is_not_plain((Node *) statement->query, NULL))
		refuse(psprintf("could not run distributed query with joins, FOR UPDATE, subqueries or CTEs on all shards of %s",
						table));
}

static bool
asks(Node *node, void *context)
{
	return node != NULL && (IsA(node, SubLink) || raw_expression_tree_walker(node, asks, context));
}

static bool
is_distributed(RangeVar *name)
{
	return distribution_column(RangeVarGetRelid(name, NoLock, true)) != InvalidAttrNumber;
}

/* Triggers of distributed tables, and policies that ask again. */
void
refuse_definition(Node *definition)
{
	if (IsA(definition, CreateTrigStmt) && is_distributed(((CreateTrigStmt *) definition)->relation))
		refuse("triggers are not supported on distributed tables");
	if (IsA(definition, CreatePolicyStmt))
	{
		CreatePolicyStmt *policy = (CreatePolicyStmt *) definition;

		if (is_distributed(policy->table) && (asks(policy->qual, NULL) || asks(policy->with_check, NULL)))
			refuse("cannot create policy: subqueries are not supported in policies on distributed tables");
	}
	if (IsA(definition, AlterPolicyStmt))
	{
		AlterPolicyStmt *policy = (AlterPolicyStmt *) definition;

		if (is_distributed(policy->table) && (asks(policy->qual, NULL) || asks(policy->with_check, NULL)))
			refuse("cannot alter policy: subqueries are not supported in policies on distributed tables");
	}
}
