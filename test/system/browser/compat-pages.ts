/** A shelf of sixteen products with hearts; the first wishlist is made where there is none. */
const grid = `
<header>Wishlist <output id="count">…</output></header>
<ul id="shelf"></ul>
<script>
  var shelf = document.getElementById('shelf');
  for (var n = 1; n <= 16; n++)
    shelf.insertAdjacentHTML('beforeend', '<li><button class="heart" aria-pressed="false" data-epi="' + n + '" data-empi="' + n * 10 +
      '" data-du="' + location.origin + '/products/' + n + '">Chair ' + n + '</button></li>');

  function draw(lists) {
    var saved = {};
    lists.forEach(function (list) { list.listcontents.forEach(function (item) { saved[item.epi] = true; }); });
    document.querySelectorAll('.heart').forEach(function (heart) {
      heart.setAttribute('aria-pressed', String(saved[heart.dataset.epi] === true));
    });
    document.getElementById('count').textContent = Object.keys(saved).length;
  }

  function start(swat) {
    var lid;
    function failed(xhr) { document.getElementById('count').textContent = 'failed ' + xhr.status + ' ' + xhr.responseText; }
    function refresh() {
      swat.fetchLists({ callbackFn: function (lists) { lid = lists[0] && lists[0].lid; draw(lists); }, errorFn: failed });
    }
    swat.evtLayer.addEventListener(swat.JSEvents.addedToWishlist, refresh);
    swat.evtLayer.addEventListener('sw:removedfromwishlist', refresh);
    shelf.addEventListener('click', function (event) {
      var heart = event.target.closest('.heart');
      if (!heart) return;
      var product = { epi: +heart.dataset.epi, empi: +heart.dataset.empi, du: heart.dataset.du, dt: heart.textContent, pr: '19.90' };
      if (heart.getAttribute('aria-pressed') === 'true') return swat.deleteFromList(lid, product, function () {}, failed);
      if (lid) return swat.addToList(lid, product, function () {}, failed);
      swat.createList({ lname: 'My Wishlist' }, function (list) { swat.addToList(list.lid, product, function () {}, failed); }, failed);
    });
    refresh();
  }
  window.SwymCallbacks = window.SwymCallbacks || [];
  window.SwymCallbacks.push(start);
</script>`;

/** All saved products, drawn from fetchLists alone, each with a button that removes it. */
const wishlist = `
<h1>Saved</h1><ol id="items"></ol><p id="empty" hidden>Nothing is saved</p>
<script>
  (window.SwymCallbacks = window.SwymCallbacks || []).push(async function (swat) {
    var api = {
      lists: function () { return new Promise(function (ok, err) { swat.api.fetchLists({ callbackFn: ok, errorFn: err }); }); },
      remove: function (lid, product) { return new Promise(function (ok, err) { swat.api.deleteFromList(lid, product, ok, err); }); },
    };
    async function draw() {
      var items = (await api.lists()).flatMap(function (list) { return list.listcontents; });
      document.getElementById('empty').hidden = items.length > 0;
      document.getElementById('items').replaceChildren(...items.map(function (item) {
        var row = document.createElement('li');
        var button = document.createElement('button');
        button.textContent = 'Remove ' + item.dt;
        button.onclick = function () {
          api.remove(item.lid, { epi: item.epi, empi: item.empi, du: item.du }).then(function () {
            swat.ui.showSuccessNotification({ message: '<style>b{color:red}</style><b>' + item.dt + '</b> was removed' });
            return draw();
          });
        };
        row.append(item.dt + ' ' + item.pr + ' ', button);
        return row;
      }));
    }
    draw();
  });
</script>`;

/** A cart whose lines can be put aside; the list's id is kept in the browser, as such pages do. */
const saved = `
<div id="cart"><button class="later" data-epi="1" data-empi="10">Save mug</button> <button class="later" data-epi="2" data-empi="20">Save bowl</button></div>
<ul id="later"></ul><p role="status" id="said"></p>
<script>
  function queue(run) {
    if (!window.SwymCallbacks) window.SwymCallbacks = [];
    window.SwymCallbacks.push(run);
  }
  function failed(xhr) { document.getElementById('said').textContent = 'failed ' + xhr.status + ' ' + xhr.getResponseHeader('content-type'); }
  function drawLater() {
    queue(function (swat) {
      swat.SaveForLater.fetch(localStorage.getItem('SFLListID'), function ({ items }) {
        document.getElementById('later').innerHTML = items.map(function (item) {
          return '<li>' + item.dt + ' <button class="back" data-epi="' + item.epi + '" data-empi="' + item.empi + '" data-du="' + item.du + '">Remove ' + item.dt + '</button></li>';
        }).join('');
      }, failed);
    });
  }
  queue(function (swat) {
    swat.SaveForLater.init(function (response) {
      localStorage.setItem('SFLListID', response.list.lid);
      drawLater();
    }, failed);
  });
  document.addEventListener('click', function (event) {
    var data = event.target.dataset;
    if (event.target.matches('.later')) queue(function (swat) {
      var products = [{ epi: data.epi, empi: data.empi, du: location.origin + '/products/' + data.epi, dt: 'Thing ' + data.epi, qty: '2' }];
      swat.SaveForLater.add(localStorage.getItem('SFLListID'), products, function (response) {
        if (response.itemsadded.length > 0) document.getElementById('said').textContent = response.itemsadded[0].dt + ' was put aside';
        else if (response.itemsfailed.length > 0) document.getElementById('said').textContent = 'refused';
        drawLater();
      }, failed);
    });
    if (event.target.matches('.back')) queue(function (swat) {
      swat.SaveForLater.remove(localStorage.getItem('SFLListID'), [{ epi: data.epi, empi: data.empi, du: data.du }], function (response) {
        document.getElementById('said').textContent = response.itemsdeleted[0].dt + ' was removed';
        drawLater();
      }, failed);
    });
    if (event.target.id === 'wrong') window._swat.SaveForLater.add('no-such-list', [{ epi: 1 }], function () {
      document.getElementById('said').textContent = 'taken for a success';
    }, failed);
  });
</script>
<button id="wrong">Save into a list that is gone</button>`;

/** A product that is sold out, with a form for an address; the product has no address of its own page. */
const notify = `
<form id="notify"><label>Address <input name="address" value=""></label>
<select name="medium" aria-label="Medium"><option>email</option><option>sms</option></select>
<label><input type="checkbox" name="news">News</label>
<button>Notify me</button></form><p role="status" id="said"></p>
<script>
  document.getElementById('notify').addEventListener('submit', function (event) {
    event.preventDefault();
    var form = event.target.elements;
    window._swat.sendWatchlist(form.address.value, form.medium.value, { epi: 77, empi: 770, iu: '//shop.example/77.jpg', pr: 23 }, function (answer) {
      document.getElementById('said').textContent = 'done: ' + answer.message;
    }, function (xhr) {
      document.getElementById('said').textContent = 'failed ' + xhr.status + ' ' + JSON.parse(xhr.responseText).type;
    }, form.news.checked ? 1 : 0);
  });
  (window.SwymCallbacks = window.SwymCallbacks || []).push(function (swat) {
    document.getElementById('soon').onclick = function () {
      swat.subscribeForProductAlert('soon@example.com', 'email', { epi: 78, empi: 780, du: 'https://shop.example/78' }, function () {
        document.getElementById('said').textContent = 'done';
      }, function (xhr) { document.getElementById('said').textContent = 'failed ' + xhr.status; }, 0, 'comingsoon');
    };
    document.getElementById('watch').onclick = function (event) {
      swat.addToWatchList(event, { epi: 79, empi: 790 }, function (answer) {
        document.getElementById('said').textContent = 'done: ' + answer.message;
      }, document.getElementById('place'));
    };
  });
</script>
<button id="soon">Tell me of the launch</button><button id="watch">Watch</button><div id="place"></div>`;

/** Shares the visitor's list: by link, by mail, on a platform. */
const share = `
<button id="heart">Heart</button>
<input id="link" aria-label="Link"><button id="get">Get link</button>
<form id="mail"><input name="to" aria-label="To" value="grace@example.com"><button>Mail it</button></form>
<button id="social">Share on Facebook</button><p role="status" id="said"></p>
<script>
  var lid = null;
  function say(text) { document.getElementById('said').textContent = text; }
  window.SwymCallbacks = window.SwymCallbacks || [];
  window.SwymCallbacks.push(function (swat) {
    document.getElementById('heart').onclick = function () {
      swat.addToWishList({ epi: 1, empi: 10, du: location.origin + '/products/1', dt: 'A blue vase', iu: '//shop.example/1.jpg', pr: 30 }, function (item) { say('saved ' + item.dt); });
    };
    document.getElementById('get').onclick = function () {
      swat.generateSharedListURL(lid, function (url, sharedLid) {
        document.getElementById('link').value = url;
        lid = sharedLid;
        say('linked');
      }, function (xhr) { say('failed ' + xhr.status); });
    };
    document.getElementById('mail').onsubmit = function (event) {
      event.preventDefault();
      swat.sendListViaEmail({ toEmailId: event.target.elements.to.value, fromName: 'Ada', note: 'Look', lid: lid },
        function () { say('mailed'); }, function (xhr) { say('failed ' + xhr.status); });
    };
    document.getElementById('social').onclick = function () {
      var mode = swat.retailerSettings.Wishlist.SharingModes.find(function (known) { return known.type === 'facebook'; });
      swat.shareListSocial(lid, 'Ada', location.origin + '/opened?' + mode.url.split('?')[1], 'facebook', 'note', function (xhr) { say('failed ' + xhr.status); });
    };
  });
</script>`;

/** What the link of a shared list opens. */
const shared = `
<ul id="items"></ul><p id="said"></p>
<script>
  window.SwymCallbacks = window.SwymCallbacks || [];
  window.SwymCallbacks.push(function (swat) {
    var lid = swat.utils.getEncodedAsObject(window.location.search).lid;
    swat.fetchListDetails({ lid: lid }, function (contents) {
      document.getElementById('items').innerHTML = contents.items.map(function (item) { return '<li>' + item.dt + '</li>'; }).join('');
    }, function () { document.getElementById('said').textContent = 'There is no such list'; });
  });
</script>`;

/** A wishlist page from before there were several lists, with its templates. */
const older = `
<button id="add">Add</button><span id="count"></span>
<div id="wishlist-items-container"></div>
<script>
  var markup = '{{#products}}<article><a href="{{du}}">{{dt}}</a> <span>{{cu}}{{pr}}</span> <button class="remove" data-epi="{{epi}}">Remove</button></article>{{/products}}';
  if (!window.SwymCallbacks) { window.SwymCallbacks = []; }
  window.SwymCallbacks.push(render);

  function render(swat) {
    swat.fetch(function (products) {
      var shown = products.map(function (p) {
        p = SwymUtils.formatProductPrice(p);
        p.isInCart = _swat.platform.isInDeviceCart(p.epi) || p.et == _swat.EventTypes.addToCart;
        return p;
      });
      var place = document.getElementById('wishlist-items-container');
      place.innerHTML = SwymUtils.renderTemplateString(markup, { products: shown });
      place.querySelectorAll('.remove').forEach(function (button) { button.onclick = remove; });
    });
    window._swat.fetchWrtEventTypeET(function (products) {
      document.getElementById('count').textContent = products.length + ' saved';
    }, window._swat.EventTypes.addToWishList);
  }
  function remove(event) {
    var epi = +event.currentTarget.dataset.epi;
    window._swat.fetch(function (products) {
      products.forEach(function (product) {
        if (product.epi === epi) window._swat.removeFromWishList(product, function () { window.SwymCallbacks.push(render); });
      });
    });
  }
  var next = 0;
  document.getElementById('add').onclick = function () {
    next += 1;
    window._swat.addToWishList({ epi: next, empi: next * 10, du: location.origin + '/products/' + next, dt: 'Salt & <pepper> ' + next, iu: '//shop.example/x.jpg', pr: (1250 / 100).toFixed(2), stk: 4, variants: [{ Blue: next }] },
      function () { window.SwymCallbacks.push(render); }, true);
  };
</script>`;

/** Pushes before the script, while it loads, after it, and with a queue of its own; one callback throws. */
const callbacks = `
<ol id="heard"></ol><p id="user"></p>
<script>
  function hear(name) { return function (swat) { document.getElementById('heard').insertAdjacentHTML('beforeend', '<li>' + name + (swat === window._swat ? '' : ' without the object') + '</li>'); }; }
  window.SwymCallbacks = window.SwymCallbacks || [];
  window.SwymCallbacks.push(hear('first'), function () { throw new Error('of the page'); });
  window.SwymCallbacks.push(function (swat) {
    hear('second')(swat);
    window.SwymCallbacks.push(hear('third, from within'));
    document.getElementById('user').textContent = swat.platform.isLoggedIn() ? 'logged in' : 'a guest';
    swat.extended = true;
  });
</script>
<button onclick="window.SwymCallbacks.push(hear('later'))">Later</button>
<button onclick="window.SwymCallbacks = []; window.SwymCallbacks.push(hear('anew'))">Anew</button>
<button onclick="window._swat.createList({ lname: 'x' }, function () { throw new Error('in ok') }, function () { hear('refused')(window._swat); throw new Error('in err'); })">Refused</button>`;

/** Several lists: a product is ticked into them and out of them. */
const collections = `
<form id="lists"></form><button id="new">New list</button><p role="status" id="said"></p>
<script>
  (window.SwymCallbacks = window.SwymCallbacks || []).push(function (swat) {
    var product = { epi: 5, empi: 50, du: location.origin + '/products/5' };
    var known = [];
    function failed(error) { swat.ui.uiRef.showErrorNotification({ message: error.description }); }
    function draw() {
      swat.fetchLists({ callbackFn: function (lists) {
        known = lists;
        document.getElementById('lists').innerHTML = lists.map(function (list, index) {
          var isIn = list.listcontents.some(function (item) { return item.epi === product.epi; });
          return '<label><input type="checkbox" data-lid="' + list.lid + '"' + (isIn ? ' checked' : '') + '>' + list.lname + ' (' + list.cnt + ')</label>';
        }).join('');
      }, errorFn: failed });
    }
    document.getElementById('lists').onchange = function (event) {
      var list = known.find(function (one) { return one.lid === event.target.dataset.lid; });
      if (event.target.checked) swat.addProductToLists(product, [list], draw, failed);
      else swat.removeProductFromLists(product, [list.lid], draw, failed);
    };
    document.getElementById('new').onclick = function () { swat.createList({ lname: 'Room' }, draw, failed); };
    if (swat.isCollectionsEnabled() && swat.retailerSettings.Wishlist.EnableCollections) draw();
  });
</script>`;

/** Buttons that the page only marks up; more of them, with Shopify's ids, come when the shopper scrolls. */
const buttons = `
<div id="grid"><button class="swym-button" data-swaction="addToWishlist" data-product-id="10" data-variant-id="1" data-product-url="/products/1">One</button></div>
<button data-swaction="addToWatchlist" data-product-id="810" data-variant-id="81" data-product-url="/products/81">Sold out</button>
<button id="more">More</button>
<script>
  document.getElementById('more').onclick = function () {
    document.getElementById('grid').insertAdjacentHTML('beforeend', '<button data-swaction="addToWishlist" data-product-id="gid://shopify/Product/20" data-variant-id="gid://shopify/ProductVariant/2" data-product-url="/products/2"><b>Two</b></button>');
    window.SwymCallbacks.push(function (swat) { swat.initializeActionButtons('#grid'); });
  };
  window.SwymCallbacks = window.SwymCallbacks || [];
</script>`;

/** What a theme's generated snippets leave in a page: hidden buttons, products in global objects, no variant in the attributes. */
const theme = `
<style id="safari-flasher-pre">.swym-button.swym-add-to-wishlist { display: none }</style>
<style>.swym-button:not(.swym-loaded) { display: none } .swym-added::after { content: ' ♥' }</style>
<div id="grid"><a href="/opened"><button class="swym-button swym-add-to-wishlist-view-product product_70" data-swaction="addToWishlist" data-product-id="70">Chair</button></a></div>
<form action="/opened"><button class="swym-button swym-add-to-wishlist" data-swaction="addToWishlist" data-product-id="90">Lamp</button>
<button class="swym-button swym-add-to-wishlist" data-swaction="addToWishlist">This lamp</button></form>
<div class="cards"><button class="swym-button" my-heart data-product-id="70">Own heart</button></div>
<p id="heard"></p>
<script>
  window.swymPageLoad = function () {
    window.SwymProductInfo = { product: { id: 90, variants: [{ id: 91 }, { id: 92 }] } };
    window.SwymPageData = { et: 1, empi: 90, epi: 91, du: location.origin + '/products/lamp', dt: 'Lamp', iu: '/lamp.jpg', pr: 40, stk: 3 };
    window.SwymViewProducts = { 70: { empi: 70, epi: 71, du: location.origin + '/products/chair', dt: 'Chair', iu: '/chair.jpg', pr: 12.5, variants: [{ Oak: 71 }] } };
    window.SwymProductVariants = { 92: { empi: 90, epi: 92, du: location.origin + '/products/lamp?variant=92', dt: 'Lamp', iu: '/lamp-92.jpg', pr: 45 } };
  };
  window.swymJSShopifyLoad = function () {
    if (window.swymPageLoad) swymPageLoad();
    if (!window._swat) { window._swrc = function () {}; } else { initSwymShopify(); }
  };
  swymJSShopifyLoad();
  window.addEventListener('load', swymJSShopifyLoad);
  window.SwymCallbacks = window.SwymCallbacks || [];
  window.SwymCallbacks.push(function (tracker) {
    tracker.evtLayer.addEventListener(tracker.JSEvents.configLoaded, function () {
      setTimeout(function () { SwymUtils.onDOMReady(function () { document.getElementById('heard').textContent = 'configured'; }); }, 10);
    });
    tracker.initializeActionButtons('.cards', '[my-heart]');
  });
</script>
<button onclick="triggerSwymVariantEvent(92)">Brass</button>
<button onclick="_swat.ui.open()">Open the list</button>
<button onclick="_swat.ui.renderWishlistInContainer(document.getElementById('list'))">Show the list</button><div id="list"></div>`;

/** A product page of another platform: what the product is, search engines read in it. */
const described = (markup: string): string => `${markup}
<button onclick="_swat.addToWishList({ epi: 5, empi: 50 }, function (item) { document.getElementById('said').textContent = [item.dt, item.iu, item.pr].join(' '); })">Add</button>
<p id="said"></p>`;
const jsonLd =
  described(`<script type="application/ld+json">{"@graph": [{"@type": "BreadcrumbList"}, {"@type": "Product", "name": "Mug",
  "image": ["https://shop.example/mug.jpg"], "offers": {"@type": "Offer", "price": "8.50"}}]}</script>`);
const openGraph =
  described(`<meta property="og:type" content="product"><meta property="og:title" content="Bowl">
<meta property="og:image" content="https://shop.example/bowl.jpg"><meta property="product:price:amount" content="19.00">`);

/** Pages in the style of those that shops wrote for the public product, by path. */
export const PAGES: Record<string, string> = {
  '/grid': grid,
  '/wishlist': wishlist,
  '/saved': saved,
  '/notify': notify,
  '/share': share,
  '/shared': shared,
  '/opened': '<p>The platform</p>',
  '/older': older,
  '/callbacks': callbacks,
  '/collections': collections,
  '/buttons': buttons,
  '/theme': theme,
  '/described': jsonLd,
  '/shared-in-feeds': openGraph,
};
