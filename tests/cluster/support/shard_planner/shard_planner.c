/* A planner that does as the planner of a Citus worker does with the tables that catalogs call distributed: the tables
 * are empty shells, and a statement is led to the shards that lie beside them; what Citus would refuse is refused.
 * For tests (tests/cluster/test_planned_by_shard.py); made by tests/cluster/harness/shard_planner.py. Written from what
 * Citus documents and does, with none of its code.
 *
 * A statement whose relations are each bound to one and the same value goes to the shard of that value. One that only
 * reads, and joins nothing, reads all shards without that. Readers of pg_class see no shard. */
#include "shard_planner.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_start;
static ProcessUtility_hook_type next_utility;
static bool is_enabled = true;
static int	definitions = 0;	/* that run now: what they ask by themselves is about the tables */

/* A plan that waits for its parameters is never the cheaper one, so that plans are made for values. */
#define NEVER_CHEAPER 1.0e100

void		_PG_init(void);

static PlannedStmt *
plan_on(Query *query, const char *text, int options, ParamListInfo params)
{
	return next_planner ? next_planner(query, text, options, params) : standard_planner(query, text, options, params);
}

static PlannedStmt *
plan(Query *query, const char *text, int options, ParamListInfo params)
{
	Statement	statement = {.query = query, .params = params};
	Named	   *first;
	ListCell   *cell;
	List	   *rights;
	bool		is_bound = true;
	PlannedStmt *planned;

	if (is_enabled && definitions == 0)
	{
		find_named(&statement);
		hide_shards(query);
	}
	if (statement.named == NIL)
		return plan_on(query, text, options, params);
	judged = text;
	refuse_statement(&statement);
	first = linitial(statement.named);
	foreach(cell, statement.named)
		is_bound &= ((Named *) lfirst(cell))->binding != BINDING_NONE;
	if (!is_bound)
	{
		refuse_on_many_shards(&statement);
		foreach(cell, statement.named)
			read_all_shards(lfirst(cell));
		ereport(DEBUG1, (errmsg_internal("shard_planner: all shards are read: %s", text)));
		return plan_on(query, text, options, params);
	}
	foreach(cell, statement.named)
	{
		Named	   *named = lfirst(cell);

		if (named->binding == BINDING_LATER)
		{
			planned = plan_on(query, text, options, params);
			planned->planTree->total_cost = NEVER_CHEAPER;
			return planned;
		}
		if (!equal(named->value, first->value))
			refuse("cannot run command which targets multiple shards: relations are bound to different values");
	}
	rights = name_shards(&statement);
	planned = plan_on(query, text, options, params);
	planned->permInfos = list_concat(planned->permInfos, rights);
	return planned;
}

/* No plan runs that would read or write the empty tables. */
static void
start(QueryDesc *running, int flags)
{
	ListCell   *cell;

	judged = running->sourceText;
	foreach(cell, running->plannedstmt->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (is_enabled && definitions == 0 && entry->rtekind == RTE_RELATION &&
			distribution_column(entry->relid) != InvalidAttrNumber)
			refuse("could not create distributed plan: a parameter's value was not known");
	}
	if (next_start)
		next_start(running, flags);
	else
		standard_ExecutorStart(running, flags);
}

static void
utility(PlannedStmt *planned, const char *text, bool is_read_only, ProcessUtilityContext context, ParamListInfo params,
		QueryEnvironment *environment, DestReceiver *receiver, QueryCompletion *completion)
{
	bool		is_definition = IsA(planned->utilityStmt, AlterTableStmt);
	ProcessUtility_hook_type run = next_utility ? next_utility : standard_ProcessUtility;

	judged = text;
	if (is_enabled)
		refuse_definition(planned->utilityStmt);
	definitions += is_definition;
	PG_TRY();
	{
		run(planned, text, is_read_only, context, params, environment, receiver, completion);
	}
	PG_FINALLY();
	{
		definitions -= is_definition;
	}
	PG_END_TRY();
}

void
_PG_init(void)
{
	DefineCustomBoolVariable("shard_planner.enabled", "Whether statements are led to shards.", NULL, &is_enabled, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	next_planner = planner_hook;
	planner_hook = plan;
	next_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
	next_utility = ProcessUtility_hook;
	ProcessUtility_hook = utility;
}
