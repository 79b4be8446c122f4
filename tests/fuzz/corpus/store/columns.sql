alter table points drop column evalue; alter table points rename column kind to sort;
pragma user_version = 5; delete from store; insert into store values('program', '0.1.0');
