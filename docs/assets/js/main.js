// What the pages do beyond what HTML does by itself.

import { reachFormulasThatScroll } from "./ui/formulas.js";
import { openByAddress, revealAll, rememberShown } from "./ui/reveal.js";
import { leadHitsToCards, openSearchByButton } from "./ui/search.js";
import { verdictButtons } from "./ui/verdict.js";
import { closeMenu } from "./ui/menu.js";

openByAddress();
revealAll();
rememberShown();
verdictButtons();
closeMenu();
leadHitsToCards();
openSearchByButton();
reachFormulasThatScroll();
