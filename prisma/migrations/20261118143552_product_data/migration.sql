-- AlterTable
ALTER TABLE "item" ADD COLUMN     "saved_price" DOUBLE PRECISION;

-- AlterTable
ALTER TABLE "product" ADD COLUMN     "compare_at_price" DOUBLE PRECISION,
ADD COLUMN     "images" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- What readers of a list see of a variant now includes these columns and whether its stock is counted.
CREATE OR REPLACE FUNCTION product_changes_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_change (pid, slices)
  SELECT pid, array_agg(DISTINCT slice) FROM (
    SELECT pid, catalog_slice(epi) AS slice, epi, du, uri, bt, dt, sku, iu, pr, vi, stk, compare_at_price, images, is_untracked FROM added
    EXCEPT
    SELECT pid, catalog_slice(epi), epi, du, uri, bt, dt, sku, iu, pr, vi, stk, compare_at_price, images, is_untracked FROM removed
  ) changed GROUP BY pid;
  RETURN NULL;
END $$;

-- What the columns hold counts for the quota.
SELECT renew_weights();
