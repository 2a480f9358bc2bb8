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

export default { meta: { name: 'wishgate' }, rules: { 'no-class': noClass, 'no-import': noImport } };
