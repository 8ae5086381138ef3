CREATE TABLE products (id text PRIMARY KEY, name text NOT NULL, price numeric NOT NULL);
INSERT INTO products VALUES ('p1', 'Levee', 19.90), ('p2', 'Sluice "gate"', 7.25);
