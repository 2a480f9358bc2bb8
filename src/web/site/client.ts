import './client.css';
import { offerCopies } from './copy.ts';

offerCopies(document.querySelectorAll('pre'));
