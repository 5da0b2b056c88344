-- The whole description of the installed extension in the catalogs, a fact a line, in an order that does not depend on
-- the way of its installation. Two installations with the same lines are the same.
SET search_path = pg_catalog;
WITH extension AS (SELECT * FROM pg_extension WHERE extname = 'memory_search'),
  member AS (
    SELECT d.classid, d.objid, d.objsubid, pg_describe_object(d.classid, d.objid, d.objsubid) AS name
    FROM pg_depend d JOIN extension x ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
    WHERE d.deptype = 'e'
  ),
  fact (line) AS (
    SELECT name FROM member
    UNION ALL
    SELECT concat_ws(' | ', name, 'comment', description)
    FROM member m
    JOIN pg_description c ON c.classoid = m.classid AND c.objoid = m.objid AND c.objsubid = m.objsubid
    UNION ALL
    SELECT concat_ws(' | ', name, 'initial privileges', initprivs::text)
    FROM member m
    JOIN pg_init_privs i ON i.classoid = m.classid AND i.objoid = m.objid AND i.objsubid = m.objsubid
    UNION ALL
    SELECT concat_ws(' | ', 'extension', extrelocatable, extnamespace::regnamespace, extcondition,
        (SELECT array_agg(t::regclass ORDER BY t::regclass::text) FROM unnest(extconfig) t))
    FROM extension
    UNION ALL
    SELECT 'extension | requires ' || pg_describe_object(refclassid, refobjid, 0)
    FROM extension x
    JOIN pg_depend d ON d.classid = 'pg_extension'::regclass AND d.objid = x.oid
      AND d.refclassid = 'pg_extension'::regclass
    -- A setting of a function counts as much as its arguments.
    UNION ALL
    SELECT concat_ws(' | ', name, kind, fact)
    FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND p.oid = objid,
      LATERAL (VALUES
        ('arguments', pg_get_function_arguments(p.oid)),
        ('result', pg_get_function_result(p.oid)),
        ('kind', prokind::text),
        ('volatility', provolatile::text),
        ('parallel', proparallel::text),
        ('strict', proisstrict::text),
        ('security definer', prosecdef::text),
        ('leakproof', proleakproof::text),
        ('settings', proconfig::text),
        ('cost', procost::text),
        ('rows', prorows::text),
        ('support', prosupport::text),
        ('language', (SELECT lanname FROM pg_language l WHERE l.oid = prolang)),
        ('library', probin),
        ('source', prosrc),
        ('owner', pg_get_userbyid(proowner)),
        ('privileges', coalesce(proacl, acldefault('f', proowner))::text)
      ) f (kind, fact)
    UNION ALL
    SELECT concat_ws(' | ', name, kind, fact)
    FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND t.oid = objid,
      LATERAL (VALUES
        ('length', typlen::text),
        ('by value', typbyval::text),
        ('kind', concat_ws(' ', typtype, typcategory, typispreferred)),
        ('alignment', typalign::text),
        ('storage', typstorage::text),
        ('delimiter', typdelim::text),
        ('element', typelem::regtype::text),
        ('array', typarray::regtype::text),
        ('functions',
         concat_ws(' ', typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript)),
        ('default', typdefault),
        ('base', typbasetype::regtype::text),
        ('not null', typnotnull::text),
        ('owner', pg_get_userbyid(typowner)),
        ('privileges', coalesce(typacl, acldefault('T', typowner))::text)
      ) f (kind, fact)
    UNION ALL
    SELECT concat_ws(' | ', name, 'cast', castsource::regtype, casttarget::regtype, castfunc::regprocedure,
        castcontext, castmethod)
    FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND c.oid = objid
    UNION ALL
    SELECT concat_ws(' | ', name, 'operator', oprcode, oprresult::regtype, oprcom::regoperator,
        oprnegate::regoperator, oprrest, oprjoin, oprcanmerge, oprcanhash)
    FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND o.oid = objid
    UNION ALL
    SELECT concat_ws(' | ', name, pg_describe_object('pg_amop'::regclass, a.oid, 0))
    FROM member JOIN pg_amop a ON classid = 'pg_opfamily'::regclass AND amopfamily = objid
    UNION ALL
    SELECT concat_ws(' | ', name, pg_describe_object('pg_amproc'::regclass, a.oid, 0))
    FROM member JOIN pg_amproc a ON classid = 'pg_opfamily'::regclass AND amprocfamily = objid
    UNION ALL
    SELECT concat_ws(' | ', name, relkind, relpersistence, reloptions, relrowsecurity, pg_get_userbyid(relowner),
        relacl, CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END)
    FROM member JOIN pg_class c ON classid = 'pg_class'::regclass AND c.oid = objid
    UNION ALL
    SELECT concat_ws(' | ', name, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
        attacl, pg_get_expr(adbin, adrelid))
    FROM member
    JOIN pg_attribute ON classid = 'pg_class'::regclass AND attrelid = objid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT concat_ws(' | ', name, conname, pg_get_constraintdef(c.oid))
    FROM member JOIN pg_constraint c ON classid = 'pg_class'::regclass AND conrelid = objid
    UNION ALL
    SELECT concat_ws(' | ', name, pg_get_indexdef(indexrelid))
    FROM member JOIN pg_index ON classid = 'pg_class'::regclass AND indrelid = objid
    UNION ALL
    SELECT concat_ws(' | ', name, pg_get_triggerdef(t.oid))
    FROM member
    JOIN pg_trigger t ON classid = 'pg_class'::regclass AND tgrelid = objid AND NOT tgisinternal
  )
SELECT replace(line, E'\n', ' ') FROM fact ORDER BY line COLLATE "C";
