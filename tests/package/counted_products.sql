-- products becomes a view that counts how often it is read, takes its time and may fail after it.
CREATE SEQUENCE asked;
CREATE TABLE settings (delay double precision NOT NULL, broken boolean NOT NULL);
INSERT INTO settings VALUES (1.5, false);
ALTER TABLE products RENAME TO product_rows;
CREATE FUNCTION read_products() RETURNS SETOF product_rows LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM nextval('asked');
  PERFORM pg_sleep((SELECT delay FROM settings));
  IF (SELECT broken FROM settings) THEN
    RAISE EXCEPTION 'a secret of the database';
  END IF;
  RETURN QUERY SELECT * FROM product_rows;
END $$;
CREATE VIEW products AS SELECT * FROM read_products();
