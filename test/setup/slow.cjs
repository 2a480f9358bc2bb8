/** Makes some requests, and some data of other servers (statements' results above all), come late: what waits for luck fails. */
const { Server } = require('node:http');
const { Socket } = require('node:net');

const SLOWEST_MS = 1_500;

/** One of `TEST_SLOW` requests is slow, and of five times as many pieces of data one. */
const ONE_OF = Number(process.env.TEST_SLOW);

/** What a connection that we opened has received and not yet passed on. */
const LATE = Symbol('late');

const WE_OPENED = Symbol('we opened');

exports.slowDown = (draw) => {
  const number = () => draw(6).readUIntBE(0, 6) / 2 ** 48;
  const isSlow = (oneOf) => number() * oneOf < 1;
  const later = (work) => setTimeout(work, number() * SLOWEST_MS);

  const { emit } = Server.prototype;
  Server.prototype.emit = function (name, ...args) {
    if (name !== 'request' || !isSlow(ONE_OF)) return emit.call(this, name, ...args);
    later(() => emit.call(this, name, ...args));
    return true;
  };

  const { connect, push } = Socket.prototype;
  Socket.prototype.connect = function (...args) {
    this[WE_OPENED] = true;
    return connect.apply(this, args);
  };
  Socket.prototype.push = function (...piece) {
    if (this[LATE]) return this[LATE].push(piece) > 0;
    if (!this[WE_OPENED] || !isSlow(5 * ONE_OF)) return push.apply(this, piece);
    const late = (this[LATE] = [piece]);
    later(() => {
      this[LATE] = undefined;
      if (!this.destroyed) for (const each of late) push.apply(this, each);
    });
    return true;
  };
};
