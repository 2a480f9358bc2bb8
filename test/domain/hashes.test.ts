import type { ItemRow } from '../../src/lists/item.columns.ts';
import { hashProduct, hashList } from '../../src/lists/list.view.ts';
import type { ListRow } from '../../src/lists/list.columns.ts';

// Clients keep these values and compare them with later ones.
test('the hash of a product is the SHA-256 of the JSON of store and product id', () => {
  expect(hashProduct({ pid: 'shop', empi: '123' } as ItemRow)).toBe(
    'D7r9Y5t0GgUOcRB8aBV3g72ic9YRui/X727HHY0vS34=',
  );
  expect(hashProduct({ pid: 'shop', empi: 'grün' } as ItemRow)).toBe(
    'xgLIJChP++l5TH1ZgLc+9RLKdkchb2hDF+/8f1FO3B8=',
  );
});

test('the hash of a list is the SHA-256 of the JSON of its name and attributes', () => {
  const list = {
    lname: 'Birthday',
    lty: 'wl',
    lnote: null,
    lprops: '{"a": 1}',
    cprops: '{}',
    ldesc: '{"b": ["x"]}',
  };
  expect(hashList(list as ListRow)).toBe('YHLtN5Moq+gB+FVUGtXv95AOqd2pPr62690ePG94Y10=');
});
