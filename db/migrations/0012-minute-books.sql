-- What became of the minutes that were due, per region and ten minutes: monitor minutes, from the database's own books
-- and not from an agent's word. A row is reckoned again as long as minutes are missing and may still come.
create table minute_books (
  region_id smallint not null references regions (id),
  from_minute timestamptz not null,
  due integer not null,
  known integer not null,   -- measured
  unknown integer not null, -- an agent said why it could not measure
  absent integer not null,  -- nothing came, and every agent of the region has said that it was not there
  missing integer not null, -- nothing came, and nobody has said why
  reckoned_at timestamptz not null,
  primary key (region_id, from_minute),
  check (due = known + unknown + absent + missing)
);
create index on minute_books (reckoned_at) where missing > 0;
-- booked_to: every minute before it has been reckoned once.
insert into cursors (name, minute) values ('booked_to', date_bin('10 minutes', now(), 'epoch'));
