import '#pwa/ui/tokens.css'
