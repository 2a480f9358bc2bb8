-- A statement that counts the items it writes and updates the list's row itself says so with the setting wishgate.counts, which lasts until
-- its transaction ends: the row is then written once, with counts and version together. For whoever does not say it (SQL by
-- hand, merges, copies, cascades) the triggers count as before.
CREATE OR REPLACE TRIGGER item_added AFTER INSERT ON item REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT WHEN (current_setting('wishgate.counts', true) IS DISTINCT FROM 'statement')
  EXECUTE FUNCTION item_count_added();
CREATE OR REPLACE TRIGGER item_removed AFTER DELETE ON item REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT WHEN (current_setting('wishgate.counts', true) IS DISTINCT FROM 'statement')
  EXECUTE FUNCTION item_count_removed();
CREATE OR REPLACE TRIGGER item_changed AFTER UPDATE ON item REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT WHEN (current_setting('wishgate.counts', true) IS DISTINCT FROM 'statement')
  EXECUTE FUNCTION item_count_changed();
