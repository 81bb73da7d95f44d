-- An event that was made by hand stands for no occurrence where there is one of its start already: null.
alter table maintenance_events alter column original_start drop not null;
