export const PRODUCTS = [
  { epi: 201, empi: 21, dt: 'Oak stool', pr: 89, du: 'https://shop.example/oak-stool', isSoldOut: false },
  { epi: 202, empi: 22, dt: 'Ash table', pr: 349, du: 'https://shop.example/ash-table', isSoldOut: false },
  { epi: 203, empi: 23, dt: 'Elm bench', pr: 159, du: 'https://shop.example/elm-bench', isSoldOut: true },
];

export type Product = (typeof PRODUCTS)[number];
