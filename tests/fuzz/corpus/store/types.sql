insert into points(kind, identity, "table.slots", throughput_mwmers_per_s) values('planned', 'a', 1024, 9e999);
insert into points(kind, identity, "table.slots", throughput_mwmers_per_s) values(x'00ff', 'b', x'00', 'nan');
insert into points(kind, identity, "table.slots", evalue) values(1.5, 'c', -1, -9e999);
insert into sweeps(description) values('a sweep'); insert into planned values(1, 'a');
