-- The last check of each host: psql salt -f last.sql
-- Any minion may fire any tag: only what the host itself has fired counts.
SELECT DISTINCT ON (tag)
  tag, alter_time, data->'return'->>'retcode' AS retcode, data->'return'->>'stdout' AS said
FROM salt_events
WHERE tag LIKE 'monitoring/%' AND origin->>'kind' = 'minion' AND tag = 'monitoring/' || (origin->>'name')
ORDER BY tag, id DESC;
