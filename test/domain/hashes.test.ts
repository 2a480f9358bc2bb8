import { hashProduct } from '../../src/domain/item/item.view.ts';
import { hashList } from '../../src/domain/list/list.view.ts';

// Clients keep these values and compare them with later ones.
test('the hash of a product is the SHA-256 of the JSON of store and product id', () => {
  expect(hashProduct({ pid: 'shop', empi: '123' })).toBe('D7r9Y5t0GgUOcRB8aBV3g72ic9YRui/X727HHY0vS34=');
  expect(hashProduct({ pid: 'shop', empi: 'grün' })).toBe('xgLIJChP++l5TH1ZgLc+9RLKdkchb2hDF+/8f1FO3B8=');
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
  expect(hashList(list)).toBe('YHLtN5Moq+gB+FVUGtXv95AOqd2pPr62690ePG94Y10=');
});
