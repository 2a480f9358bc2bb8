// The page's own code: starts the elements, puts items into the shop's cart, and logs in with the shop's id token.
import { start } from '@wishgate/elements';

/** @type {<Found extends Element>(selector: string, type: new () => Found) => Found} */
const find = (selector, type) => {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}`);
  return found;
};

const { baseUrl = '', pid = '' } = find('script[data-pid]', HTMLScriptElement).dataset;
const wishgate = await start({ baseUrl, pid });

const cart = find('#cart', HTMLOutputElement);
document.addEventListener('wishgate-add-to-cart', () => {
  cart.value = String(Number(cart.value) + 1);
});

const login = find('#login', HTMLFormElement);
const account = find('#account', HTMLParagraphElement);

/** @param {string} email */
function show(email) {
  login.hidden = email !== '';
  account.hidden = email === '';
  find('#account strong', HTMLElement).textContent = email;
}

login.addEventListener('submit', async (event) => {
  event.preventDefault();
  const response = await fetch('/login', {
    method: 'POST',
    body: new URLSearchParams({ email: login['email'].value }),
  });
  const { email, token } = await response.json();
  // The service checks the token and moves what the guest saved into the account.
  await wishgate.login(token);
  show(email);
});

find('#account button', HTMLButtonElement).addEventListener('click', async () => {
  await wishgate.logout();
  show('');
});
