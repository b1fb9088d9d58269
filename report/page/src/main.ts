// The script of a page that stands alone: it knows what it carries, and asks nobody.

import { start } from "./start.js";

start(null);
