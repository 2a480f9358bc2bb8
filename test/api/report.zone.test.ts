import type { NewStore } from '../../src/stores/store.service.ts';
import { useRevenueKit } from './revenue-kit.ts';

const { kit } = useRevenueKit();

const storeIn = (timeZone?: string): Promise<NewStore> =>
  kit.service.createStore(timeZone ? { timeZone } : {});

const orderAt = (store: NewStore, orderedAt: string) =>
  kit.report(store, { orderId: orderedAt, orderedAt }).expect(200);

/** The number of orders of each day that has some. */
async function ordersByDay(store: NewStore, query: string): Promise<Record<string, number>> {
  const { body } = await kit.service.get(`/storeadmin/v3/revenue?${query}`, { store }).expect(200);
  type Day = { day: string; totals: { orders: number }[] };
  return Object.fromEntries(
    body.days.flatMap(({ day, totals }: Day) => (totals.length === 0 ? [] : [[day, totals[0]!.orders]])),
  );
}

test('what happens at 23:30 in New York counts on that day: list, sign-up, alert, click and order', async () => {
  const store = await storeIn('America/New_York');
  // 23:30 on March 9 in New York, which has daylight saving time then.
  kit.service.setNow(new Date('2026-03-10T03:30:00Z'));
  const shopper = await kit.service.guest(store);
  const { body } = await kit.service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
    .expect(200);
  const item = { epi: 7, empi: 1, du: 'https://shop.example/p/1', dt: 'Mug' };
  await kit.service.post('/api/v3/lists/update-ctx', { lid: body.lid, a: [item] }, { shopper }).expect(200);
  const { path } = await kit.alert(store, 'ada@example.com', '7');
  await kit.click(path);
  await orderAt(store, '2026-03-10T03:30:00Z');
  const revenue = await kit.revenue(store);
  expect(revenue).toMatchObject({ to: '2026-03-09', timeZone: 'America/New_York' });
  expect(revenue.days.at(-1)).toMatchObject({
    day: '2026-03-09',
    sent: 1,
    clicked: 1,
    totals: [{ orders: 1 }],
  });
  const activity = await kit.service.graphql(
    '{ activity(days: 2) { day adds subscriptions alerts } }',
    {},
    { store },
  );
  expect(activity.body.data.activity).toEqual([
    { day: '2026-03-08', adds: 0, subscriptions: 0, alerts: 0 },
    { day: '2026-03-09', adds: 1, subscriptions: 1, alerts: 1 },
  ]);
});

test('a day has 23 or 25 hours where the clocks change, and no order is lost or counted twice', async () => {
  kit.service.setNow(new Date('2026-11-10T12:00:00Z'));
  const store = await storeIn('America/New_York');
  const everyHourFrom = (start: string) =>
    Promise.all(
      Array.from({ length: 72 }, (_, hour) =>
        orderAt(store, new Date(Date.parse(start) + hour * 3_600_000).toISOString()),
      ),
    );
  await everyHourFrom('2026-03-07T05:30:00Z');
  await everyHourFrom('2026-10-31T04:30:00Z');
  expect(await ordersByDay(store, 'from=2026-03-06&to=2026-03-11')).toEqual({
    '2026-03-07': 24,
    '2026-03-08': 23,
    '2026-03-09': 24,
    '2026-03-10': 1,
  });
  expect(await ordersByDay(store, 'from=2026-10-30&to=2026-11-04')).toEqual({
    '2026-10-31': 24,
    '2026-11-01': 25,
    '2026-11-02': 23,
  });
});

test.each([
  ['Asia/Kolkata', '2026-03-09T18:29:59Z', '2026-03-09T18:30:00Z'],
  ['Asia/Kathmandu', '2026-03-09T18:14:59Z', '2026-03-09T18:15:00Z'],
  [undefined, '2026-03-09T23:59:59Z', '2026-03-10T00:00:00Z'],
])('in the time zone %s the day changes between %s and %s', async (zone, last, first) => {
  kit.service.setNow(new Date('2026-03-10T12:00:00Z'));
  const store = await storeIn(zone);
  await orderAt(store, last);
  await orderAt(store, first);
  expect(await ordersByDay(store, 'days=3')).toEqual({ '2026-03-09': 1, '2026-03-10': 1 });
});

test('REST, CSV and GraphQL report the same days, and the same number of days before to compare with', async () => {
  kit.service.setNow(new Date('2026-03-10T12:00:00Z'));
  const store = await storeIn('Asia/Tokyo');
  for (const day of ['02-28', '03-01', '03-02', '03-03', '03-04', '03-05'])
    await orderAt(store, `2026-${day}T14:59:00Z`);
  const { body } = await kit.service
    .get('/storeadmin/v3/revenue?from=2026-03-03&to=2026-03-05', { store })
    .expect(200);
  expect(body).toMatchObject({
    ...{ from: '2026-03-03', to: '2026-03-05', timeZone: 'Asia/Tokyo' },
    totals: [{ currency: 'EUR', orders: 3, amount: '60.60' }],
    previous: {
      from: '2026-02-28',
      to: '2026-03-02',
      totals: [{ currency: 'EUR', orders: 3, amount: '60.60' }],
    },
  });
  const graphql = await kit.service.graphql(
    `{ revenue(from: "2026-03-03", to: "2026-03-05") {
      from to timeZone totals { orders } previous { from to sent clicked ordered totals { orders } } days { day totals { orders } } } }`,
    {},
    { store },
  );
  expect(body).toMatchObject(graphql.body.data.revenue);
  const csv = await kit.service
    .get('/storeadmin/v3/revenue.csv?from=2026-03-03&to=2026-03-05', { store })
    .expect(200);
  const lines = csv.text.trim().split(/\r?\n/).slice(1);
  expect(lines.map((line) => line.split(',')[0])).toEqual(['2026-03-03', '2026-03-04', '2026-03-05']);
});

test('the activity report has totals of its period and of the one before', async () => {
  const store = await storeIn();
  const addAt = async (day: string, count: number): Promise<void> => {
    kit.service.setNow(new Date(`${day}T12:00:00Z`));
    const shopper = await kit.service.guest(store);
    const { body } = await kit.service
      .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
      .expect(200);
    const a = Array.from({ length: count }, (_, n) => ({
      epi: n + 1,
      empi: 1,
      du: 'https://shop.example/p/1',
    }));
    await kit.service.post('/api/v3/lists/update-ctx', { lid: body.lid, a }, { shopper }).expect(200);
  };
  await addAt('2026-03-01', 4);
  await addAt('2026-03-02', 2);
  await addAt('2026-03-04', 3);
  await kit.service.runTasks();
  const read = async (args: string) => {
    const fields = 'from to timeZone adds previous { from to adds } days { day adds }';
    return (await kit.service.graphql(`{ activityReport(${args}) { ${fields} } }`, {}, { store })).body;
  };
  const report = {
    ...{ from: '2026-03-03', to: '2026-03-04', timeZone: 'UTC', adds: 3 },
    previous: { from: '2026-03-01', to: '2026-03-02', adds: 6 },
    days: [
      { day: '2026-03-03', adds: 0 },
      { day: '2026-03-04', adds: 3 },
    ],
  };
  expect((await read('days: 2')).data.activityReport).toEqual(report);
  expect((await read('from: "2026-03-03", to: "2026-03-04"')).data.activityReport).toEqual(report);
  for (const [field, args] of [
    ['from', 'from: "2026-3-1"'],
    ['to', 'to: "2026-02-30"'],
    ['from', 'from: "2026-03-05", to: "2026-03-04"'],
    ['from', 'from: "2025-03-03", to: "2026-03-04"'],
    ['days', 'days: 367'],
  ])
    expect((await read(args!)).errors[0]).toMatchObject({
      message: expect.stringContaining(field!),
      extensions: { type: 'invalid-request' },
    });
});
