drop table sweeps; create view sweeps as select 1 as sweep, null as description; drop table planned;
create view planned as select 'x' as sweep, 2 as identity; update store set value = value || '';
