create table other as select * from points; drop table points; alter table other rename to points;
insert into points(kind, identity) values(null, null); insert into points(kind, identity) values('tried', 'x');
