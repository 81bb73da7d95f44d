-- What the pages for people show besides measurements: whoever keeps pages hears of a change and forgets them.

create function notify_public_change() returns trigger language plpgsql as $$
begin
  -- Equal notifications of one transaction are told once.
  perform pg_notify('farwatch_public_changes', '');
  return null;
end $$;

-- By rows: a statement that changes none, as those of clocks mostly do, is no change.
do $$
declare
  changed text;
begin
  foreach changed in array array[
    'monitors', 'incidents', 'incident_monitors', 'incident_comments', 'pages', 'page_monitors',
    'maintenances', 'maintenance_monitors', 'maintenance_events', 'site_data'
  ] loop
    execute format('create trigger notify_public_change after insert or update or delete on %I
      for each row execute function notify_public_change()', changed);
  end loop;
end $$;
