/* Finds the distributed tables that a statement names, at every level, and the condition that binds each to a value of
 * its distribution column. The condition is on that column, has a value that depends on no row, and is on the same
 * level, or on the level around a subquery that is pulled up. */
#include "shard_planner.h"

#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"

/* The operator text = text. */
#define TEXT_EQUALS 98

/* Of any level. */
static bool
has_column(Node *node, void *context)
{
	return node != NULL && (IsA(node, Var) || expression_tree_walker(node, has_column, context));
}

/* Whether an expression is a value that no row decides, and which. */
static Binding
value_of(Statement *statement, Node *expression, Const **value)
{
	PlannerInfo root = {.type = T_PlannerInfo};
	PlannerGlobal global = {.type = T_PlannerGlobal};
	Node	   *found;

	if (has_column(expression, NULL) || contain_subplans(expression) || contain_volatile_functions(expression))
		return BINDING_NONE;
	root.glob = &global;
	global.boundParams = statement->params;
	found = eval_const_expressions(&root, copyObject(expression));
	if (!IsA(found, Const))
		return BINDING_LATER;
	*value = (Const *) found;
	return BINDING_VALUE;
}

static bool
is_column(Node *node, int number, AttrNumber key)
{
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varno == number && ((Var *) node)->varattno == key &&
		((Var *) node)->varlevelsup == 0;
}

/* The value of the column by conditions that all hold. */
static Binding
binding_by(Statement *statement, Node *condition, int number, AttrNumber key, Const **value)
{
	List	   *all = NIL;
	ListCell   *cell;

	if (condition == NULL)
		return BINDING_NONE;
	if (IsA(condition, List))
		all = (List *) condition;
	else if (is_andclause(condition))
		all = ((BoolExpr *) condition)->args;
	foreach(cell, all)
	{
		Binding		found = binding_by(statement, lfirst(cell), number, key, value);

		if (found != BINDING_NONE)
			return found;
	}
	if (IsA(condition, OpExpr) && ((OpExpr *) condition)->opno == TEXT_EQUALS)
	{
		Node	   *left = linitial(((OpExpr *) condition)->args);
		Node	   *right = lsecond(((OpExpr *) condition)->args);

		if (is_column(left, number, key))
			return value_of(statement, right, value);
		if (is_column(right, number, key))
			return value_of(statement, left, value);
	}
	return BINDING_NONE;
}

static bool
contains(Node *item, int number)
{
	return bms_is_member(number, get_relids_in_jointree(item, true, true));
}

/* Its value by FROM and WHERE. A condition of an outer join binds the side that it may leave out. */
static Binding
binding_in(Statement *statement, Node *item, int number, AttrNumber key, Const **value)
{
	Binding		found = BINDING_NONE;
	ListCell   *cell;

	if (item == NULL || IsA(item, RangeTblRef))
		return BINDING_NONE;
	if (IsA(item, JoinExpr))
	{
		JoinExpr   *join = (JoinExpr *) item;

		if (join->jointype == JOIN_INNER || (join->jointype == JOIN_LEFT && contains(join->rarg, number)) ||
			(join->jointype == JOIN_RIGHT && contains(join->larg, number)))
			found = binding_by(statement, join->quals, number, key, value);
		if (found == BINDING_NONE)
			found = binding_in(statement, join->larg, number, key, value);
		if (found == BINDING_NONE)
			found = binding_in(statement, join->rarg, number, key, value);
		return found;
	}
	found = binding_by(statement, ((FromExpr *) item)->quals, number, key, value);
	foreach(cell, ((FromExpr *) item)->fromlist)
		if (found == BINDING_NONE)
			found = binding_in(statement, lfirst(cell), number, key, value);
	return found;
}

/* The column of a new row: a value, the same in each row of VALUES, or a subquery's column that is such a value. */
static Binding
binding_of_new(Statement *statement, Query *query, AttrNumber column, Const **value)
{
	TargetEntry *target = NULL;
	Node	   *expression;
	RangeTblEntry *from;
	ListCell   *cell;

	foreach(cell, query->targetList)
		if (((TargetEntry *) lfirst(cell))->resno == column)
			target = lfirst(cell);
	if (target == NULL)
		return BINDING_NONE;
	expression = (Node *) target->expr;
	if (IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	if (!IsA(expression, Var) || ((Var *) expression)->varlevelsup > 0)
		return value_of(statement, expression, value);
	from = rt_fetch(((Var *) expression)->varno, query->rtable);
	if (from->rtekind == RTE_SUBQUERY)
		return binding_of_new(statement, from->subquery, ((Var *) expression)->varattno, value);
	if (from->rtekind == RTE_VALUES)
	{
		Binding		found = BINDING_NONE;
		Const	   *first = NULL;

		foreach(cell, from->values_lists)
		{
			found = value_of(statement, list_nth(lfirst(cell), ((Var *) expression)->varattno - 1), value);
			if (found != BINDING_VALUE || (first != NULL && !equal(first, *value)))
				return found == BINDING_LATER ? found : BINDING_NONE;
			first = *value;
		}
		return found;
	}
	return BINDING_NONE;
}

static Binding
binding_of(Statement *statement, Query *query, int number, AttrNumber key, Const **value)
{
	Binding		found;

	if (query->commandType == CMD_INSERT && query->resultRelation == number)
		return binding_of_new(statement, query, key, value);
	found = binding_in(statement, (Node *) query->jointree, number, key, value);
	if (found == BINDING_NONE)
		found = binding_by(statement, (Node *) rt_fetch(number, query->rtable)->securityQuals, number, key, value);
	return found;
}

/* A query, and where the query around it has it in FROM. */
typedef struct Level
{
	Statement  *statement;
	struct Level *around;
	Query	   *query;
	int			number;			/* in the range table around; 0 where it is no subquery of FROM */
} Level;

/* The value that binds a relation at its level, or around it: a condition on a column of a subquery that the server
 * pulls up is one on the column that this gives. */
static Binding
binding_at(Level *level, int number, AttrNumber key, Const **value)
{
	Query	   *query = level->query;
	Binding		found = binding_of(level->statement, query, number, key, value);
	ListCell   *cell;

	if (level->number == 0 || query->setOperations != NULL || query->groupClause != NIL || query->hasAggs ||
		query->hasWindowFuncs || query->distinctClause != NIL || query->limitCount != NULL || query->limitOffset != NULL)
		return found;
	foreach(cell, query->targetList)
	{
		TargetEntry *target = lfirst(cell);

		if (found == BINDING_NONE && is_column((Node *) target->expr, number, key))
			found = binding_at(level->around, level->number, target->resno, value);
	}
	return found;
}

static bool visit(Node *node, void *context);

static void
visit_query(Level *level)
{
	Statement  *statement = level->statement;
	ListCell   *cell;
	int			number = 0;

	foreach(cell, level->query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);
		Named	   *named;

		number++;
		if (entry->rtekind == RTE_SUBQUERY)
			visit_query(&(Level) {statement, level, entry->subquery, number});
		/* The relation that ON CONFLICT calls "excluded" has the relkind of composite types. */
		if (entry->rtekind != RTE_RELATION || entry->relkind == RELKIND_COMPOSITE_TYPE)
			continue;
		named = palloc0(sizeof(Named));
		*named = (Named) {.query = level->query, .entry = entry, .key = distribution_column(entry->relid)};
		if (named->key == InvalidAttrNumber)
		{
			statement->names_others = true;
			continue;
		}
		named->binding = binding_at(level, number, named->key, &named->value);
		statement->named = lappend(statement->named, named);
	}
	query_tree_walker(level->query, visit, statement, QTW_IGNORE_RT_SUBQUERIES);
}

/* CTEs, sublinks, and the subqueries of policies. */
static bool
visit(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, visit, context);
	visit_query(&(Level) {context, NULL, (Query *) node, 0});
	return false;
}

void
find_named(Statement *statement)
{
	visit((Node *) statement->query, statement);
}
