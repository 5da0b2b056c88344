/* Has a say in who reads what, as sepgsql has, and as pgaudit is asked who reads what: refuses statements that read a
 * table of the name that permission_hook.refused gives. For tests (tests/cluster/test_permission_hook.py). */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

PG_MODULE_MAGIC;

static char *refused = NULL;

void		_PG_init(void);

static bool
may_run(List *relations, List *permissions, bool raise)
{
	ListCell   *cell;

	foreach(cell, relations)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, cell);
		char	   *name = OidIsValid(entry->relid) ? get_rel_name(entry->relid) : NULL;

		if (name == NULL || refused == NULL || strcmp(name, refused) != 0)
			continue;
		if (raise)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("the hook refuses table \"%s\"", name)));
		return false;
	}
	return true;
}

void
_PG_init(void)
{
	DefineCustomStringVariable("permission_hook.refused", "The table that nobody may read.", NULL, &refused, "",
							   PGC_SUSET, 0, NULL, NULL, NULL);
	ExecutorCheckPerms_hook = may_run;
}
