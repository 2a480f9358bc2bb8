import fc from 'fast-check';

// Its own seed would come from the clock, too.
fc.configureGlobal({ seed: Number(process.env['SEED']) });

export { fc };
