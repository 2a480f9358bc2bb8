import { useService, useStore } from '../harness.ts';
import { fullSelection } from './full-selection.ts';

const service = useService();
const store = useStore(service);

test('orders/report answers on REST what reportOrder answers, first and repeated', async () => {
  const query = `mutation($input: ReportOrderInput!) { reportOrder(input: $input) ${fullSelection('OrderReport')} }`;
  const lines = [{ epi: 1, empi: 'p', quantity: 2, price: '0.105' }];
  const order = {
    orderedAt: Date.now() - 1_000,
    currency: 'EUR',
    lines,
    useremail: 'ada@example.com',
    phone: '+4915123456789',
  };
  const report = async (orderId: string) => [
    (
      await service
        .post('/storeadmin/v3/orders/report', { ...order, orderId: `r${orderId}` }, { store })
        .expect(200)
    ).body,
    (await service.graphql(query, { input: { ...order, orderId: `g${orderId}` } }, { store })).body.data
      .reportOrder,
  ];
  for (const isRepeat of [false, true]) {
    const [rest, graphql] = await report('1');
    expect({ ...rest, orderId: 'g1' }).toEqual(graphql);
    expect(rest).toMatchObject({ total: '0.21', isRepeat });
  }
});

test('revenue answers on REST what revenue answers', async () => {
  const store = await service.createStore();
  const order = {
    orderId: '1',
    orderedAt: Date.now() - 1_000,
    currency: 'EUR',
    lines: [{ epi: 1, empi: 'p', quantity: 2, price: '1' }],
  };
  await service.post('/storeadmin/v3/orders/report', order, { store }).expect(200);
  const { body } = await service.graphql(`{ revenue ${fullSelection('RevenueReport')} }`, {}, { store });
  const rest = await service.get('/storeadmin/v3/revenue', { store }).expect(200);
  expect(rest.body).toEqual(body.data.revenue);
  expect(rest.body.totals).toHaveLength(1);
});

test('set-measured answers on REST what setMeasured answers, for the shopper and for the store that names it', async () => {
  const shopper = await service.guest(store);
  const query = `mutation { setMeasured(measured: false) ${fullSelection('MeasuringChoice')} }`;
  const { body } = await service.graphql(query, {}, { shopper });
  const rest = await service.post('/api/v3/shopper/set-measured', { measured: 0 }, { shopper }).expect(200);
  expect(rest.body).toEqual(body.data.setMeasured);
  const named = { store, headers: { 'x-regid': shopper.regid } };
  expect(
    (await service.post('/api/v3/shopper/set-measured', { measured: true }, named).expect(200)).body,
  ).toEqual({ measured: true });
});
