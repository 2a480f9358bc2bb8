import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = (): boolean => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUI({
  url: '/docs/openapi.json',
  domNode: document.querySelector('#app'),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // The default asks a validator on the internet whenever the document is not on localhost.
  validatorUrl: null,
});
