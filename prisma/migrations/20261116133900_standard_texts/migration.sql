-- Texts that a topic was saved with and nobody wrote give way to the new standard; what a store wrote stays.
WITH "news" AS (
  SELECT "pid", "name", CASE "name"
    WHEN 'backinstock' THEN 'is back in stock'
    WHEN 'comingsoon' THEN 'is here'
    WHEN 'pricedrop' THEN 'costs less now{% if product.old_price %}: {{ product.price }} instead of {{ product.old_price }}{% endif %}'
    WHEN 'lowstock' THEN 'is almost gone{% if product.stock %}: only {{ product.stock }} left{% endif %}'
    WHEN 'wishlistrestock' THEN 'from your list is back in stock'
    ELSE 'has news for you' END AS "words" FROM "topic")
UPDATE "topic" t SET
  "subject" = CASE WHEN t."subject" = replace('{{ product.title }} NEWS', 'NEWS', n."words") THEN '' ELSE t."subject" END,
  "html" = CASE WHEN t."html" = replace('<!doctype html>
<html lang="en"><body style="font-family:sans-serif;line-height:1.5;color:#1a1a1a">
<h1 style="font-size:20px">{{ product.title }} NEWS</h1>
{% if product.image != "" %}<p><img src="{{ product.image }}" alt="" width="240" style="max-width:100%;height:auto"></p>{% endif %}
<p><strong>{{ product.title }}</strong>{% if product.variant != "" %}<br>{{ product.variant }}{% endif %}{% if product.price %}<br>{{ product.price }}{% endif %}</p>
{% if product.url != "" %}<p><a href="{{ product.url }}">See it at {{ store.name }}</a></p>{% endif %}
</body></html>', 'NEWS', n."words") THEN '' ELSE t."html" END,
  "text" = CASE WHEN t."text" = replace('{{ product.title }} NEWS.
{% if product.variant != "" %}{{ product.variant }}
{% endif %}{{ product.url }}
', 'NEWS', n."words") THEN '' ELSE t."text" END,
  "sms" = CASE WHEN t."sms" = replace('{{ store.name }}: {{ product.title }} NEWS. {{ product.url }}', 'NEWS', n."words") THEN '' ELSE t."sms" END
FROM "news" n WHERE n."pid" = t."pid" AND n."name" = t."name";
