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

/** Shares the visitor's list: by link and on a platform. */
const share = `
<button id="heart">Heart</button>
<input id="link" aria-label="Link"><button id="get">Get link</button>
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

/** Pages in the style of those that shops wrote for the public product, by path. */
export const PAGES: Record<string, string> = {
  '/grid': grid,
  '/wishlist': wishlist,
  '/share': share,
  '/shared': shared,
  '/opened': '<p>The platform</p>',
  '/buttons': buttons,
  '/theme': theme,
};
