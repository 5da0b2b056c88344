COMMENT ON COLUMN {schema}.entry_access.helpful IS 'How often memory_feedback said that it helped';
COMMENT ON COLUMN {schema}.entry_access.unhelpful IS 'How often memory_feedback said that it did not';
