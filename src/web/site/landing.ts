import './landing.css';
import { offerCopies } from './copy.ts';
import { startQuickStart } from './quick-start.ts';

offerCopies(document.querySelectorAll('pre'));
const data = document.querySelector('#data');
if (data) startQuickStart(JSON.parse(data.textContent) as Parameters<typeof startQuickStart>[0]);
