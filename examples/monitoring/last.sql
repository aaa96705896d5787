-- The last check of each host: psql salt -f last.sql
SELECT DISTINCT ON (tag)
  tag, alter_time, data->'return'->>'retcode' AS retcode, data->'return'->>'stdout' AS said
FROM salt_events
WHERE tag LIKE 'monitoring/%'
ORDER BY tag, id DESC;
