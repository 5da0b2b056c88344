COMMENT ON COLUMN {schema}.entries.valid_from IS
  'From when what it says holds, beside when it was said; null is open: options validAt and validDuring';
COMMENT ON COLUMN {schema}.entries.valid_until IS 'From when it holds no more; null is open';
COMMENT ON COLUMN {schema}.entries.time_to_live IS
  'How long after each use it expires: expires_at is set anew by memory_touch and memory_recall';
