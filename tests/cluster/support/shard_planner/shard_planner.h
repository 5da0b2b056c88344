/* What the files of the module share. For tests: nothing of it is installed. */
#ifndef SHARD_PLANNER_H
#define SHARD_PLANNER_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"

/* How a relation of a statement is bound to a value of the distribution column. */
typedef enum Binding
{
	BINDING_NONE,				/* by nothing, or by another relation's column */
	BINDING_LATER,				/* by a parameter whose value is not known yet */
	BINDING_VALUE
} Binding;

/* A distributed table where a statement names it. */
typedef struct Named
{
	Query	   *query;			/* the level that names it */
	RangeTblEntry *entry;
	AttrNumber	key;
	Binding		binding;
	Const	   *value;
} Named;

/* What a statement names, of all levels: subqueries, CTEs, policies. */
typedef struct Statement
{
	Query	   *query;
	ParamListInfo params;
	List	   *named;			/* of Named */
	bool		names_others;	/* also tables that are not distributed */
} Statement;

/* catalog.c: what the catalogs say */
extern AttrNumber distribution_column(Oid table);
extern Oid	shard_for(Oid table, Const *value);
extern List *shards_of(Oid table);

/* bindings.c */
extern void find_named(Statement *statement);

/* refusals.c: each is an ERROR, whose detail is the text of what is judged */
extern const char *judged;
extern void refuse(const char *what) __attribute__((noreturn));
extern void refuse_statement(Statement *statement);
extern void refuse_on_many_shards(Statement *statement);
extern void refuse_definition(Node *definition);

/* hidden.c */
extern void hide_shards(Query *query);

/* shards.c */
extern List *name_shards(Statement *statement);
extern void read_all_shards(Named *named);

#endif
