-- products becomes a view that counts how often it is read, and takes its time.
CREATE SEQUENCE asked;
CREATE TABLE settings (delay double precision NOT NULL);
INSERT INTO settings VALUES (0.3);
ALTER TABLE products RENAME TO product_rows;
CREATE FUNCTION read_products() RETURNS SETOF product_rows LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM nextval('asked');
  PERFORM pg_sleep((SELECT delay FROM settings));
  RETURN QUERY SELECT * FROM product_rows;
END $$;
CREATE VIEW products AS SELECT * FROM read_products();
