// Rules of this project that oxlint does not have. oxlint.config.mjs loads them.

const noClass = {
  meta: { schema: [{ type: 'object' }] },
  create: (context) => {
    const { allow = /Error$/ } = context.options[0] ?? {};
    const allowed = new RegExp(allow);
    const check = (node) => {
      if (!allowed.test(node.superClass?.name ?? ''))
        context.report({ node, message: 'Classes are for errors only; write functions over plain data.' });
    };
    return { ClassDeclaration: check, ClassExpression: check };
  },
};

const noImport = {
  meta: { schema: [{ type: 'object' }] },
  create: (context) => {
    const [{ regex, message }] = context.options;
    const forbidden = new RegExp(regex);
    const check = ({ source }) => {
      if (typeof source?.value === 'string' && forbidden.test(source.value))
        context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/** What a locator or a page does by itself, and who does it so that nothing is lost when the page draws the element anew. */
const ACTS = [
  'check',
  'click',
  'dblclick',
  'fill',
  'press',
  'pressSequentially',
  'selectOption',
  'setChecked',
  'tap',
  'uncheck',
];
const PASSING = ['waitForRequest', 'waitForResponse', 'waitForTimeout'];
const REQUESTS = ['request', 'requestfailed', 'requestfinished', 'response'];
const DEVICES = ['keyboard', 'mouse'];

/** Whether a node is in what `act` is given to do. */
const isInAct = ({ parent }) => Boolean(parent) && (parent.callee?.name === 'act' || isInAct(parent));

const onlyOutcomes = {
  meta: {},
  create: (context) => ({
    CallExpression: (node) => {
      const {
        callee,
        arguments: [first],
      } = node;
      const name = callee.property?.name;
      const report = (message) => context.report({ node: callee.property, message });
      if (ACTS.includes(name) && !DEVICES.includes(callee.object.property?.name) && !isInAct(node))
        report('Use act.ts: the page may draw the element anew between finding it and acting on it.');
      if (PASSING.includes(name) || (name === 'waitForEvent' && REQUESTS.includes(first?.value)))
        report('Wait with `eventually` for what stays: the state of the page or of the service.');
      if (['on', 'once'].includes(name) && REQUESTS.includes(first?.value))
        report(
          'Which requests a page makes is for the quick suite, with an injected fetch; assert the outcome.',
        );
    },
  }),
};

export default {
  meta: { name: 'wishgate' },
  rules: { 'no-class': noClass, 'no-import': noImport, 'only-outcomes': onlyOutcomes },
};
